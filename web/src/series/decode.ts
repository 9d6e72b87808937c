import { ns } from '../lib/brand';
import { DataError } from './error';
import { Json } from './json';
import { Table } from './table';
import type {
  BandColumns,
  DelayColumns,
  Direction,
  LinkColumns,
  MarkColumns,
  Names,
  QueueColumns,
  RunIdentity,
  Series,
  SeriesWindow,
  Share,
  TablePath,
} from './types';

/** The version of the series format that this page reads. */
export const SERIES_VERSION = 1;

/** Verdicts by name, in the order of `Verdict`. */
const VERDICTS = ['original', 'necessary', 'unnecessary', 'unknown'];

/**
 * Decodes the text of a `series.json`, or of a window of one as the service gives it: undoes the delta coding, turns
 * columns into typed arrays and checks that what belongs together has one length and that every code has a name.
 *
 * Throws a `DataError` that names the place.
 */
export function decodeSeries(text: string): Series {
  const root = Json.parse(text, 'series');
  requireVersion(root.get('version'), SERIES_VERSION, 'series');
  const names = decodeNames(root.get('names'));
  const verdictCodes = root
    .get('names')
    .get('verdict')
    .list()
    .map((name) => {
      const code = VERDICTS.indexOf(name.string());
      return code >= 0 ? code : name.fail(`one of ${VERDICTS.join(', ')}`);
    });

  const data = new Table(root.get('data'), 'ascending');
  const acks = new Table(root.get('acks'), 'ascending');
  const sacks = new Table(root.get('sacks'), 'ascending');
  const timeouts = new Table(root.get('timeouts'), 'ascending');
  const fast = new Table(root.get('fast_retransmits'), 'ascending');
  const detector = new Table(root.get('detector'), 'ascending');
  const responses = new Table(root.get('responses'), 'ascending');
  const state = new Table(root.get('state'), 'ascending');

  return {
    window: root.get('window').optional((json) => decodeWindow(json, root)),
    run: root.get('run').optional(decodeRun),
    dataDirection: hostSends(root.get('data_sender')),
    duration: ns(root.get('duration_ns').number()),
    names,
    data: {
      length: data.length,
      t: data.t,
      id: data.numbers('id'),
      seq: data.numbers('seq'),
      len: data.numbers('len'),
      cause: data.codes('cause', names.cause.length),
      verdict: data.codes('verdict', verdictCodes.length).map((code) => (code < 0 ? 3 : verdictCodes[code])),
      reason: data.codes('reason', names.reason.length),
      arrived: data.numbers('arrived'),
      drop: data.codes('drop', names.drop.length),
      held: data.numbers('held'),
    },
    acks: {
      length: acks.length,
      t: acks.t,
      ack: acks.numbers('ack'),
      edge: acks.numbers('edge'),
      dup: acks.numbers('dup'),
    },
    sacks: {
      length: sacks.length,
      t: sacks.t,
      left: sacks.numbers('left'),
      right: sacks.numbers('right'),
      dsack: sacks.numbers('dsack'),
    },
    timeouts: {
      length: timeouts.length,
      t: timeouts.t,
      ordinal: timeouts.numbers('ordinal'),
      una: timeouts.numbers('una'),
      rto: timeouts.numbers('rto'),
      backoff: timeouts.numbers('backoff'),
      rule: timeouts.codes('rule', names.rule.length),
      verdict: timeouts.codes('verdict', 3),
      reason: timeouts.codes('reason', names.reason.length),
      answer: timeouts.codes('answer', names.answer.length),
      answered: timeouts.numbers('answered'),
    },
    fastRetransmits: {
      length: fast.length,
      t: fast.t,
      una: fast.numbers('una'),
      verdict: fast.codes('verdict', 3),
    },
    detector: {
      length: detector.length,
      t: detector.t,
      ordinal: detector.numbers('ordinal'),
      rule: detector.codes('rule', names.rule.length),
      answer: detector.codes('answer', names.answer.length),
    },
    responses: {
      length: responses.length,
      t: responses.t,
      ordinal: responses.numbers('ordinal'),
      cwndBefore: responses.numbers('cwnd_before'),
      cwndAfter: responses.numbers('cwnd_after'),
      name: responses.strings('name'),
    },
    state: {
      length: state.length,
      t: state.t,
      cwnd: state.numbers('cwnd'),
      ssthresh: state.numbers('ssthresh'),
      flight: state.numbers('flight'),
      srtt: state.numbers('srtt'),
      rttvar: state.numbers('rttvar'),
      rto: state.numbers('rto'),
      estimatedRto: root.get('state').get('estimated_rto').present ? state.numbers('estimated_rto') : null,
      phase: state.codes('phase', names.phase.length),
    },
    link: decodeLink(root.get('link'), names),
  };
}

/** Refuses another version with a sentence that says what to do. */
export function requireVersion(version: Json, wanted: number, what: string): void {
  const found = version.number();
  if (found === wanted) return;
  const advice =
    found > wanted
      ? 'open it with a report made by the same, newer Windlull'
      : 'run the experiment again with this Windlull';
  throw new DataError(
    `the ${what} has format version ${found}, this page reads version ${wanted}: ${advice}`,
  );
}

function decodeNames(json: Json): Names {
  const words = (key: string) =>
    json
      .get(key)
      .list()
      .map((word) => word.string());
  return {
    cause: words('cause'),
    drop: words('drop'),
    phase: words('phase'),
    rule: words('rule'),
    answer: words('answer'),
    impairment: words('impairment'),
    reason: words('reason'),
  };
}

function decodeRun(json: Json): RunIdentity {
  return {
    experiment: json.get('experiment').string(),
    variant: json.get('variant').string(),
    link: json.get('link').string(),
    repetition: json.get('repetition').number(),
    seed: json.get('seed').text(),
  };
}

function hostSends(json: Json): Direction {
  const host = json.string();
  if (host === 'server') return 0;
  if (host === 'client') return 1;
  return json.fail('"server" or "client"');
}

function decodeLink(json: Json, names: Names): LinkColumns {
  const drops = new Table(json.get('drops'), 'ascending');
  const rates = new Table(json.get('rates'), 'ascending');
  return {
    holds: decodeBands(json.get('holds'), names),
    outages: decodeBands(json.get('outages'), names),
    bad: decodeBands(json.get('bad'), names),
    drops: {
      length: drops.length,
      t: drops.t,
      direction: drops.codes('direction', 2),
      by: drops.codes('by', names.drop.length),
      id: drops.numbers('id'),
    },
    marks: decodeMarks(json.get('marks')),
    queue: [decodeQueue(json.get('queue').get('down')), decodeQueue(json.get('queue').get('up'))],
    rates: {
      length: rates.length,
      t: rates.t,
      direction: rates.codes('direction', 2),
      bps: rates.numbers('bps'),
    },
    delays: decodeDelays(json.get('delays')),
  };
}

/** A series of an earlier version has no table of marks: nothing was marked then. */
function decodeMarks(json: Json): MarkColumns {
  const marks = new Table(
    json.present ? json : new Json({ t: [], direction: [], id: [] }, json.path),
    'ascending',
  );
  return {
    length: marks.length,
    t: marks.t,
    direction: marks.codes('direction', 2),
    id: marks.numbers('id'),
  };
}

/** A series of an earlier version has no table of delays: what changed then is not known. */
function decodeDelays(json: Json): DelayColumns {
  const none = { t: [], direction: [], delay: [], delay_before: [] };
  const delays = new Table(json.present ? json : new Json(none, json.path), 'ascending');
  return {
    length: delays.length,
    t: delays.t,
    direction: delays.codes('direction', 2),
    delay: delays.numbers('delay'),
    before: delays.numbers('delay_before'),
  };
}

function decodeBands(json: Json, names: Names): BandColumns {
  const bands = new Table(json, 'any', 'from');
  return {
    length: bands.length,
    from: bands.t,
    to: bands.numbers('to'),
    direction: bands.codes('direction', 2),
    name: bands.codes('name', names.impairment.length),
  };
}

function decodeQueue(json: Json): QueueColumns {
  const queue = new Table(json, 'ascending');
  return { length: queue.length, t: queue.t, packets: queue.numbers('packets') };
}

const TABLES: readonly TablePath[] = [
  'data',
  'acks',
  'sacks',
  'timeouts',
  'fast_retransmits',
  'detector',
  'responses',
  'state',
  'link.holds',
  'link.outages',
  'link.bad',
  'link.drops',
  'link.marks',
  'link.queue.down',
  'link.queue.up',
  'link.rates',
  'link.delays',
];

function decodeWindow(json: Json, root: Json): SeriesWindow {
  return {
    from: ns(json.get('from').number()),
    to: ns(json.get('to').number()),
    pixels: json.get('pixels').number(),
    shares: new Map(TABLES.map((path) => [path, decodeShare(root, path)])),
  };
}

function decodeShare(root: Json, path: TablePath): Share {
  const table = path.split('.').reduce((json, key) => json.get(key), root);
  return { rows: table.get('rows').number(), given: table.get('given').number() };
}
