import type { Schema } from '../contract/types';
import type { Json } from './json';

/** How well the runs bear out what a paper states. */
export type Grade = Schema<'Graded'>['grade'];

/** From the surest down; what is not checked counts, too. */
export const GRADES: readonly Grade[] = [
  'supported',
  'shown by one run',
  'within noise',
  'in part',
  'not reproduced',
  'not checked',
];

/** What the paper states at a place, in our words. */
export type Statement = Schema<'Graded'>;

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
