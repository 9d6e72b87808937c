import type { Schema } from '../../api/client';
import { changed } from '../../ui/use-address';

type RunLine = Schema<'RunLine'>;

/** What a batch has to choose from, each in the order of its plan. */
export interface Known {
  readonly variants: readonly string[];
  readonly links: readonly string[];
  readonly testbeds: readonly RunLine['testbed'][];
  readonly repetitions: readonly number[];
}

/** How the diagrams are laid out. */
export const DIAGRAM_LAYOUTS = ['overlay', 'stacked'] as const;
export type DiagramLayout = (typeof DIAGRAM_LAYOUTS)[number];

/** What is compared. */
export interface Choice {
  /** The baseline first. */
  readonly variants: readonly string[];
  readonly link: string;
  readonly testbed: RunLine['testbed'];
  readonly repetition: number;
  readonly way: DiagramLayout;
  /** Where the diagrams are aligned (series/anchors.ts); `null`: where they usually are. */
  readonly anchor: string | null;
  /** Of the box plots and of the rule. */
  readonly metric: string;
  /** Those that verdicts are asked of; none are the usual ones. */
  readonly metrics: readonly string[];
}

/** Traces of more runs cannot be told apart in one plot. */
export const MOST_VARIANTS = 8;

/** So many are compared where the address names none: a short plan is meant to be seen whole. */
const FIRST_VARIANTS = 4;

/** What the runs of a batch give to choose from. */
export function knownOf(runs: readonly RunLine[]): Known {
  const planned = [...runs].sort((a, b) => a.place - b.place);
  const all = <T>(of: (run: RunLine) => T) => [...new Set(planned.map(of))];
  return {
    variants: all(({ variant }) => variant),
    links: all(({ link }) => link),
    testbeds: all(({ testbed }) => testbed),
    repetitions: all(({ repetition }) => repetition).sort((a, b) => a - b),
  };
}

/** What an address chooses; what it does not say, or what is not there, is the first there is. */
export function choiceOf(params: URLSearchParams, known: Known): Choice {
  const asked = [...new Set(params.getAll('v'))].filter((variant) => known.variants.includes(variant));
  const missing = known.variants.filter((variant) => !asked.includes(variant));
  const wanted = asked.length === 0 ? FIRST_VARIANTS : 2;
  const one = <T extends string | number>(key: string, of: readonly T[], otherwise: T): T =>
    of.find((value) => String(value) === params.get(key)) ?? of.at(0) ?? otherwise;
  return {
    variants: [...asked, ...missing.slice(0, Math.max(0, wanted - asked.length))].slice(0, MOST_VARIANTS),
    link: one('link', known.links, ''),
    testbed: one('testbed', known.testbeds, 'sim'),
    repetition: one('repetition', known.repetitions, 1),
    way: one('way', DIAGRAM_LAYOUTS, 'overlay'),
    anchor: params.get('at'),
    metric: params.get('metric') ?? 'elapsed_s',
    metrics: params.getAll('m'),
  };
}

/** The chosen repetition of each chosen variant that has one. */
export function chosenRuns(runs: readonly RunLine[], choice: Choice): readonly RunLine[] {
  return choice.variants.flatMap(
    (variant) =>
      runs.find(
        (run) =>
          run.variant === variant &&
          run.link === choice.link &&
          run.testbed === choice.testbed &&
          run.repetition === choice.repetition,
      ) ?? [],
  );
}

/** Whom the address holds against the baseline, to see where they part first; null if nobody. */
export function partnerIn(params: URLSearchParams, choice: Choice): string | null {
  return choice.variants.slice(1).find((variant) => variant === params.get('part')) ?? null;
}

/** The numbers of the chosen repetition's runs of the baseline and of its partner; null unless both have a result. */
export function pairOf(
  runs: readonly RunLine[],
  choice: Choice,
  partner: string,
): readonly [number, number] | null {
  const ended = chosenRuns(runs, { ...choice, variants: [choice.variants[0], partner] })
    .filter(({ state }) => state === 'done' || state === 'invalid')
    .map(({ id }) => id);
  return ended.length === 2 ? [ended[0], ended[1]] : null;
}

/** The address with another repetition on show. */
export function withPair(params: URLSearchParams, repetition: number): URLSearchParams {
  return changed(params, { repetition: String(repetition), t: null, y: null });
}

/** A run that has no partner to be held against: another variant has none that counts of that repetition. */
export interface Alone {
  readonly repetition: number;
  /** Those that have none, with what became of theirs; the run is `null` if there never was one. */
  readonly without: readonly { readonly variant: string; readonly run: RunLine | null }[];
}

/** Repetitions that count in some of the chosen variants and not in all. */
export function withoutPartner(runs: readonly RunLine[], choice: Choice): readonly Alone[] {
  const here = runs.filter(({ link, testbed }) => link === choice.link && testbed === choice.testbed);
  const repetitions = [...new Set(here.map(({ repetition }) => repetition))].sort((a, b) => a - b);
  return repetitions.flatMap((repetition) => {
    const own = choice.variants.map((variant) => ({
      variant,
      run: here.find((run) => run.variant === variant && run.repetition === repetition) ?? null,
    }));
    const without = own.filter(({ run }) => run?.state !== 'done');
    return without.length === 0 || without.length === own.length ? [] : [{ repetition, without }];
  });
}
