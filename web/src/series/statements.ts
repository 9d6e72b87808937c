import type { Schema } from '../contract/types';
import type { Json } from './json';

/** How well the runs bear out what a paper states. */
export type Grade = Schema<'StatementTold'>['grade'];

/** From the surest down; what is not checked counts, too. */
export const GRADES: readonly Grade[] = [
  'supported',
  'shown by one run',
  'within noise',
  'in part',
  'not reproduced',
  'not checked',
];

/** A claim that checks a statement. */
export interface Check extends Omit<Schema<'CheckTold'>, 'grade' | 'criterion' | 'note'> {
  /** A statement's grade, or that it cannot be decided; `null` if it was not run. */
  readonly grade: string | null;
  readonly criterion?: string;
  readonly note?: string | null;
}

/** A number that the paper prints and ours: ratios of two variants, or values of one. */
export interface NumberBeside extends Omit<Schema<'NumberBesideTold'>, 'check' | 'interval'> {
  /** Of ours, with 95 % confidence. */
  readonly interval: readonly [number, number] | null;
}

/** What the paper states at a place, in our words. */
export interface Statement extends Omit<Schema<'StatementTold'>, 'checks' | 'numbers'> {
  readonly checks: readonly Check[];
  readonly numbers: readonly NumberBeside[];
  /** Its grade with each master seed, the experiments' own first, where it was run with several. */
  readonly by_seed?: readonly (Grade | null)[];
}

/** A number of a paper, or ours beside it: three digits tell how near they are. */
export const figure = (value: number): string => String(Number(value.toPrecision(3)));

/** How much more ours is than the published number, as `+12 %`. */
export function moreInPercent(distance: number): string {
  const percent = Math.round(100 * distance);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

/** Decodes a statement. Throws a `DataError` that names the place. */
export function decodeStatement(json: Json): Statement {
  json.get('grade').among(GRADES);
  return json.value as Statement;
}
