import type { Json } from './json';

/** From the surest down; what is not checked counts, too. */
export const GRADES = [
  'supported',
  'shown by one run',
  'within noise',
  'in part',
  'not reproduced',
  'not checked',
] as const;

/** How well the runs bear out what a paper states. */
export type Grade = (typeof GRADES)[number];

/** A claim that checks a statement. */
export interface Check {
  readonly experiment: string;
  readonly id: string;
  readonly text: string;
  /** A statement's grade, or that it cannot be decided; `null` if it was not run. */
  readonly grade: string | null;
  readonly measured: string;
}

/** A number that the paper prints and ours: ratios of two variants, or values of one. */
export interface NumberBeside {
  readonly printed: string;
  readonly published: number;
  readonly ours: number | null;
  /** Of ours, with 95 % confidence. */
  readonly interval: readonly [number, number] | null;
  /** Whether that is at least, not about, 95 %. */
  readonly atLeast: boolean;
  /** Ours over the published number, less 1. */
  readonly distance: number | null;
}

/** What the paper states at a place, in our words. */
export interface Statement {
  readonly id: string;
  readonly place: string;
  readonly text: string;
  readonly grade: Grade;
  /** Why it is not checked; empty if it is. */
  readonly why: string;
  readonly checks: readonly Check[];
  readonly numbers: readonly NumberBeside[];
  /** Its grade with each master seed, the experiments' own first. */
  readonly bySeed: readonly (Grade | null)[];
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
  return {
    id: json.get('id').string(),
    place: json.get('place').string(),
    text: json.get('text').string(),
    grade: gradeOf(json.get('grade')),
    why: json.get('why').optional((j) => j.string()) ?? '',
    checks: json.get('checks').list().map(decodeCheck),
    numbers: json.get('numbers').list().map(decodeNumber),
    bySeed: json
      .get('by_seed')
      .list()
      .map((grade) => grade.optional(gradeOf)),
  };
}

/** Decodes a check. Throws as `decodeStatement`. */
export function decodeCheck(json: Json): Check {
  return {
    experiment: json.get('experiment').string(),
    id: json.get('id').string(),
    text: json.get('text').string(),
    grade: json.get('grade').optional((j) => j.string()),
    measured: json.get('measured').optional((j) => j.string()) ?? '',
  };
}

function decodeNumber(json: Json): NumberBeside {
  const interval = json.get('interval').optional((j) => j.list().map((bound) => bound.number()));
  return {
    printed: json.get('printed').string(),
    published: json.get('published').number(),
    ours: json.get('ours').optional((j) => j.number()),
    interval: interval === null ? null : [interval[0], interval[1]],
    atLeast: json.get('at_least').boolean(),
    distance: json.get('distance').optional((j) => j.number()),
  };
}

function gradeOf(json: Json): Grade {
  return GRADES.find((grade) => grade === json.value) ?? json.fail(`one of ${GRADES.join(', ')}`);
}
