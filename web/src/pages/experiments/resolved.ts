import { list, record, text, texts, type Json } from '../../lib/json';
import { metricOf } from '../../lib/metrics';

/** What an experiment stands for, as far as its page shows it. The engine's answer is open; what is missing is left out. */
export interface Resolved {
  readonly description: string;
  readonly seed: string;
  readonly repetitions: number | null;
  readonly links: readonly Part[];
  readonly variants: readonly Part[];
  /** Names of variants that join where there is a kernel. */
  readonly live: readonly string[];
  readonly workload: Part | null;
  readonly claims: readonly { readonly id: string; readonly text: string; readonly criterion: string }[];
  readonly assumptions: readonly string[];
  readonly published: string | null;
}

/** A link, variant or workload of it. */
export interface Part {
  readonly name: string;
  readonly title: string;
  readonly summary: readonly string[];
}

/** Reads `DocumentTold.resolved` of an experiment. */
export function readResolved(told: unknown): Resolved {
  const of = record(told);
  const workload = partOf(of['workload']);
  return {
    description: text(of['description']),
    seed: text(of['seed']),
    repetitions: typeof of['repetitions'] === 'number' ? of['repetitions'] : null,
    links: parts(of['links']),
    variants: parts(of['variants']),
    live: texts(record(of['live'])['variants']),
    workload: workload.name === '' ? null : workload,
    claims: list(of['claims']).map((claim) => ({
      id: text(record(claim)['id']),
      text: text(record(claim)['text']),
      criterion: criterionOf(record(claim)),
    })),
    assumptions: texts(of['assumptions']),
    published: text(record(of['published'])['source']) || null,
  };
}

/** How a claim is decided: `median unnecessary retransmissions: frto+sack < 0.5 × sack`. */
export function criterionOf(claim: Json): string {
  const { statistic, metric, left, relation, factor, right, tolerance } = claim;
  const times = typeof factor === 'number' && factor !== 1 ? `${factor} × ` : '';
  const near = typeof tolerance === 'number' ? ` by ${Number((tolerance * 100).toPrecision(3))} %` : '';
  return `${text(statistic) || 'median'} ${metricOf(text(metric)).label}: ${text(left)} ${text(relation)} ${times}${text(right)}${near}`;
}

function parts(value: unknown): readonly Part[] {
  return list(value).map(partOf);
}

function partOf(value: unknown): Part {
  const of = record(value);
  return { name: text(of['name']), title: text(of['title']), summary: texts(of['summary']) };
}
