import { HIDDEN_AT_FIRST, LANES, LAYERS, type PartId } from '../../diagram/layers';
import type { Look } from '../../diagram/options';

/** What the address says of a look: parts that are hidden, by `_` (`none` is none), and the unit. */
export interface LookText {
  readonly hide: string | null;
  readonly unit: string | null;
}

const PARTS: readonly PartId[] = [...LAYERS, ...LANES];

/** Writes a look; what is as at first is not written. */
export function lookToText({ hidden, unit }: Look): LookText {
  const parts = PARTS.filter((part) => hidden.includes(part));
  const asAtFirst = parts.join() === PARTS.filter((part) => HIDDEN_AT_FIRST.includes(part)).join();
  return {
    hide: asAtFirst ? null : parts.length === 0 ? 'none' : parts.join('_'),
    unit: unit === 'octets' ? null : unit,
  };
}

/** Reads it; parts that there are not are left out, and nothing said is as at first. */
export function lookFromText({ hide, unit }: LookText): Look {
  const named = hide?.split('_') ?? [];
  return {
    hidden: hide === null ? HIDDEN_AT_FIRST : PARTS.filter((part) => named.includes(part)),
    unit: unit === 'segments' ? 'segments' : 'octets',
  };
}
