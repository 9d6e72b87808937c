import { ns, octets } from '../lib/brand';
import type { Viewport } from '../lib/viewport';

/** What a permalink holds. */
export interface Place {
  /** The key of the run on show. */
  readonly run: string | null;
  /** What it is compared with: a variant, or `TESTBED:VARIANT`. */
  readonly versus: string | null;
  /** The part of the run on show; `null` is all of it. */
  readonly view: Viewport | null;
}

export const NOWHERE: Place = { run: null, versus: null, view: null };

/** Reads `#run=frto+sack/001&vs=sack&t=10.5_20.25&y=0_40960`: times in seconds, offsets in octets. Ignores the rest. */
export function parseHash(hash: string): Place {
  const values = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at > 0) values.set(part.slice(0, at), decode(part.slice(at + 1)));
  }
  const time = range(values.get('t'));
  const sequence = range(values.get('y'));
  return {
    run: values.get('run') ?? null,
    versus: values.get('vs') ?? null,
    view: time && {
      t0: ns(time[0] * 1e9),
      t1: ns(time[1] * 1e9),
      y: sequence && { lo: octets(sequence[0]), hi: octets(sequence[1]) },
    },
  };
}

/** Writes a permalink; empty for the page as it opens. */
export function formatHash(place: Place): string {
  const parts: string[] = [];
  if (place.run !== null) parts.push(`run=${encode(place.run)}`);
  if (place.versus !== null) parts.push(`vs=${encode(place.versus)}`);
  if (place.view) {
    const { t0, t1, y } = place.view;
    parts.push(`t=${number(t0 / 1e9, 6)}_${number(t1 / 1e9, 6)}`);
    if (y) parts.push(`y=${number(y.lo, 0)}_${number(y.hi, 0)}`);
  }
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

function range(text: string | undefined): readonly [number, number] | null {
  const parts = text?.split('_').map(Number);
  if (parts?.length !== 2) return null;
  const [lo, hi] = parts;
  return Number.isFinite(lo) && Number.isFinite(hi) && lo < hi ? [lo, hi] : null;
}

function number(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** Keys keep their slash, plus and colon, so that a person can read the address. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%2B', '+').replaceAll('%3A', ':');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
