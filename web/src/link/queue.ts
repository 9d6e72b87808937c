/** The queue of a link's direction, as a form has it and as a link's text has it. */

import { getStaticTOMLValue } from 'toml-eslint-parser';

import { isRecord } from '../lib/json';
import { changed, entriesIn, rangeOf, quoted, type TextRange } from '../lib/toml';

export const QUEUE_KINDS = [
  'droptail',
  'red',
  'adaptive-red',
  'codel',
  'pie',
  'drr',
  'fq-codel',
  'dualpi2',
] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

/** A key of a queue that a text field holds. */
export interface QueueField {
  readonly key: string;
  readonly label: string;
  /** What stands for an empty field; none where it must not be empty. */
  readonly without: string | null;
  readonly about: string;
  /** Whether it is a whole number, which TOML has without quotation marks. */
  readonly whole?: boolean;
}

interface Discipline {
  readonly label: string;
  readonly about: string;
  readonly fields: readonly QueueField[];
  /** Keys that are true or false, and what they are where the text does not say. */
  readonly switches: Readonly<Record<string, boolean>>;
}

function field(key: string, label: string, without: string | null, about: string): QueueField {
  return { key, label, without, about };
}

const LIMIT = field(
  'limit',
  'Limit',
  null,
  'Packets beyond it are dropped. In packets, or in bytes such as 64 kB',
);
const MEAN_PACKET = field('mean_packet', 'Mean packet', '1000 B', 'Packet size that the average assumes');
const SPARE = field(
  'spare',
  'Spare',
  'nothing',
  'No early drop while at most this much waits; ns-2 spares 1 packet',
);
const QUANTUM = field('quantum', 'Quantum', '1514 B', 'What a flow may send in each round');
const FLOWS: QueueField = {
  ...field('flows', 'Queues', '1024', 'How many queues flows are hashed into'),
  whole: true,
};
const WEIGHT = 'Weight of the newest sample in the average';

/** What each discipline is, and what it takes. The words are those of docs/queues.md. */
export const QUEUES: Readonly<Record<QueueKind, Discipline>> = {
  droptail: {
    label: 'Drop-tail',
    about: 'Queues what fits, drops the rest.',
    fields: [LIMIT],
    switches: {},
  },
  red: {
    label: 'RED',
    about: 'Drops more packets the longer the average queue is (Floyd and Jacobson 1993).',
    fields: [
      LIMIT,
      field('minimum', 'Minimum', '5 packets', 'No drop below this average'),
      field('maximum', 'Maximum', 'three times the minimum', 'The upper threshold'),
      field('probability', 'Probability', '0.1', 'Drop probability at the maximum'),
      field('weight', 'Weight', '0.002', WEIGHT),
      MEAN_PACKET,
      SPARE,
    ],
    switches: { gentle: true, ecn: false },
  },
  'adaptive-red': {
    label: 'Adaptive RED',
    about: 'RED that adapts its probability every half second (Floyd, Gummadi and Shenker 2001).',
    fields: [
      LIMIT,
      field('target', 'Target', '5 ms', 'Queueing delay to aim at; or give thresholds'),
      field('minimum', 'Minimum', 'by the target', 'Instead of a target'),
      field('maximum', 'Maximum', 'three times the minimum', 'Requires a minimum'),
      field('weight', 'Weight', 'by the rate', WEIGHT),
      MEAN_PACKET,
      SPARE,
    ],
    switches: { ecn: false },
  },
  codel: {
    label: 'CoDel',
    about: 'Drops from the head, ever faster, while the queueing delay stays above a target (RFC 8289).',
    fields: [
      LIMIT,
      field('target', 'Target', '5 ms', 'Acceptable standing queueing delay'),
      field('interval', 'Interval', '100 ms', 'How long the delay must exceed it'),
    ],
    switches: { ecn: false },
  },
  pie: {
    label: 'PIE',
    about: 'Drops arrivals with a probability that follows the queueing delay and its trend (RFC 8033).',
    fields: [
      LIMIT,
      field('target', 'Target', '15 ms', 'Queueing delay to aim at'),
      field('burst', 'Burst', '150 ms', 'No drop for this long after an idle period'),
      MEAN_PACKET,
    ],
    switches: { ecn: false },
  },
  drr: {
    label: 'Deficit round robin',
    about: 'A queue for each flow; each in turn sends its quantum (Shreedhar and Varghese 1996).',
    fields: [LIMIT, QUANTUM, FLOWS],
    switches: {},
  },
  'fq-codel': {
    label: 'FQ-CoDel',
    about: 'A queue with CoDel for each flow, those that have just begun to send first (RFC 8290).',
    fields: [
      LIMIT,
      QUANTUM,
      FLOWS,
      field('target', 'Target', '5 ms', 'Acceptable standing queueing delay of a flow'),
      field('interval', 'Interval', '100 ms', 'How long the delay must exceed it'),
    ],
    switches: { ecn: false },
  },
  dualpi2: {
    label: 'DualPI2',
    about: 'A queue for packets with ECT(1), marked early, and one for all others, coupled (RFC 9332).',
    fields: [
      LIMIT,
      field('target', 'Target', '15 ms', 'Queueing delay of classic packets to aim at'),
      field('round_trip', 'Round trip', '100 ms', 'The longest that the controller is set up for'),
      field('threshold', 'Threshold', '800 us', 'Packets with ECT(1) are marked from this delay'),
      field('range', 'Range', '400 us', 'How far above the threshold all are marked'),
      {
        ...field(
          'coupling',
          'Coupling',
          '2',
          'How much likelier their marks are than the root of a classic drop',
        ),
        whole: true,
      },
      field('classic_share', 'Classic share', '0.0625', 'Least part of the rate for classic packets'),
    ],
    switches: {},
  },
};

/** Words for the switches. */
export const SWITCHES: Readonly<Record<string, string>> = {
  gentle: 'Gentle: above the maximum, drop more and more instead of everything',
  ecn: 'Mark ECN-capable packets instead of dropping them',
};

/** A queue as a form has it: texts and switches by key. Keys of other kinds stay, for when their kind is chosen again. */
export interface QueueDraft {
  readonly kind: QueueKind;
  readonly texts: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, boolean>>;
}

export const plainQueue = (limit: string): QueueDraft => ({
  kind: 'droptail',
  texts: { limit },
  switches: {},
});

/** An inline table of TOML: what is as it would be anyhow is left out. */
export function queueText({ kind, texts, switches }: QueueDraft): string {
  const { fields, switches: known } = QUEUES[kind];
  const pairs = fields.flatMap(({ key, without, whole }) => {
    // As it is typed, a space at its end too: what follows may be a unit.
    const text = key in texts ? texts[key] : '';
    if (text.trim() === '' && without !== null) return [];
    return [`${key} = ${whole === true && /^\d+$/.test(text) ? text : quoted(text)}`];
  });
  const set = Object.entries(known).flatMap(([key, normal]) =>
    (switches[key] ?? normal) === normal ? [] : [`${key} = ${String(!normal)}`],
  );
  return `{ ${[`kind = ${quoted(kind)}`, ...pairs, ...set].join(', ')} }`;
}

/** The form of a queue's table; null if it has what no form holds. */
export function queueDraft(table: unknown): QueueDraft | null {
  if (!isRecord(table)) return null;
  const { kind, ...rest } = table;
  const known = QUEUE_KINDS.find((one) => one === kind);
  if (known === undefined) return null;
  const { fields, switches: flags } = QUEUES[known];
  const texts: Record<string, string> = {};
  const switches: Record<string, boolean> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key in flags && typeof value === 'boolean') switches[key] = value;
    else if (
      fields.some((field) => field.key === key) &&
      (typeof value === 'string' || typeof value === 'number')
    )
      texts[key] = String(value);
    else return null;
  }
  return { kind: known, texts, switches };
}

export type QueuePlace = 'both' | 'down' | 'up';

/** A queue in the text of a link, and where it stands there. */
interface FoundQueue extends TextRange {
  readonly place: QueuePlace;
  readonly draft: QueueDraft;
}

/** The queues in a link's text that a form can change: those of [both], [down] or [up] that are tables in a line. */
export function queuesIn(toml: string): readonly FoundQueue[] {
  return entriesIn(toml).flatMap(({ path: [of, key, ...deeper], value }) => {
    const place = (['both', 'down', 'up'] as const).find((one) => one === of);
    if (place === undefined || key !== 'queue' || deeper.length > 0 || value.type !== 'TOMLInlineTable')
      return [];
    const draft = queueDraft(getStaticTOMLValue(value));
    return draft === null ? [] : [{ place, draft, ...rangeOf(value) }];
  });
}

/** The text with another queue in a place; all else, comments too, stays as it is. */
export function withQueue(toml: string, place: QueuePlace, draft: QueueDraft): string {
  const found = queuesIn(toml).find((one) => one.place === place);
  return found === undefined ? toml : changed(toml, [{ ...found, text: queueText(draft) }]);
}

/** What is wrong with a queue's fields, by their keys; what is wrong with all of it has the key ''. */
export function queueProblems(
  problems: readonly { readonly key?: string | null; readonly message: string }[],
  place: QueuePlace | null,
): Readonly<Record<string, string>> {
  const wrong: Record<string, string> = {};
  for (const { key, message } of problems) {
    const match = /^(both|down|up)\.queue(?:\.([a-z_]+))?$/.exec(key ?? '');
    if (match === null || (place !== null && match[1] !== place)) continue;
    const field = match.at(2) ?? '';
    if (!(field in wrong)) wrong[field] = message;
  }
  return wrong;
}
