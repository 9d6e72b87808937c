import type { Json } from './json';

/** An error over a run, in microseconds; `null` where the testbed does not measure it. */
export interface ErrorSpread {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly count: number | null;
}

/** How true to its plan a live run was. What is `null` was not measured. */
export interface Certificate {
  readonly valid: boolean;
  readonly reasons: readonly string[];
  readonly plane: string;
  /** Actual minus planned release of packets by the link, as the link itself measured it, outside of stalls. */
  readonly release: ErrorSpread | null;
  /** The same of packets that were due while the machine itself stood still. */
  readonly releaseInStalls: ErrorSpread | null;
  /** The same, confirmed from the captures of both hosts. */
  readonly wire: ErrorSpread | null;
  /** How late what the script says happened. */
  readonly script: ErrorSpread | null;
  /** Times at which the machine itself stood still, as an idle thread saw it. */
  readonly stalls: {
    readonly count: number;
    readonly longestUs: number | null;
    readonly totalUs: number | null;
  } | null;
  readonly rates: readonly Rate[];
  readonly captureDrops: number | null;
  readonly planeDrops: number | null;
  /** Packets that an endpoint of ours had no place for or could not send. */
  readonly hostDrops: number | null;
  /** Packets larger than the wire carries: an offload was on. */
  readonly superPackets: number | null;
  readonly badChecksums: number | null;
  /** Packets of one capture that the plane or the other capture knows nothing of. */
  readonly unmatched: number | null;
  readonly clockDriftUs: number | null;
}

/** What a direction of the link carried over its longest stretch of work, beside the plan of the same packets; bit/s. */
export interface Rate {
  readonly direction: string;
  readonly achieved: number;
  readonly planned: number;
}

/** How the live runs were made. */
export interface LiveSetup {
  readonly plane: string;
  readonly pace: string;
  readonly peer: string;
  readonly attempts: number | null;
}

export type Telling = 'equal' | 'differs' | 'not told apart' | 'too few';

/** The live median of a metric against the simulated one. */
export interface Difference {
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  readonly metric: string;
  readonly absolute: number;
  /** `null` where the simulated median is 0. */
  readonly percent: number | null;
  readonly pairs: number;
  /** The 95 % interval of `percent`. */
  readonly interval: readonly [number, number] | null;
  readonly telling: Telling;
}

/** What the kernel's settings were in the live runs of a variant: mostly one value each. */
export interface Settings {
  readonly variant: string;
  readonly testbed: string;
  readonly runs: number;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A run that came to nothing. */
export interface FailedRun {
  readonly key: string;
  readonly attempts: number;
  readonly reason: string;
}

/** What a report of live runs has beside the rest; all empty in one of simulated runs. */
export interface Live {
  readonly differences: readonly Difference[];
  readonly settings: readonly Settings[];
  readonly failed: readonly FailedRun[];
}

const TELLINGS: readonly Telling[] = ['equal', 'differs', 'not told apart', 'too few'];

export function decodeLive(root: Json): Live {
  const list = <T>(key: string, decode: (json: Json) => T): readonly T[] =>
    root.get(key).optional((json) => json.list().map(decode)) ?? [];
  return {
    differences: list('differences', decodeDifference),
    settings: list('settings', decodeSettings),
    failed: list('failed', (json) => ({
      key: json.get('key').string(),
      attempts: json.get('attempts').number(),
      reason: json.get('reason').string(),
    })),
  };
}

export function decodeLiveSetup(json: Json): LiveSetup {
  const text = (key: string) => json.get(key).optional((j) => j.string()) ?? '';
  return { plane: text('plane'), pace: text('pace'), peer: text('peer'), attempts: number(json, 'attempts') };
}

export function decodeRunCertificate(json: Json): Certificate {
  return {
    valid: json.get('valid').boolean(),
    reasons: json
      .get('reasons')
      .list()
      .map((reason) => reason.string()),
    plane: json.get('plane').optional((j) => j.string()) ?? '',
    release: json.get('release_error_us').optional(decodeSpread),
    releaseInStalls: json.get('release_error_in_stalls_us').optional(decodeSpread),
    wire: json.get('wire_error_us').optional(decodeSpread),
    script: json.get('script_error_us').optional(decodeSpread),
    stalls: json.get('stalls').optional((stalls) => ({
      count: stalls.get('count').number(),
      longestUs: number(stalls, 'longest_us'),
      totalUs: number(stalls, 'total_us'),
    })),
    rates: json.get('achieved_rate').optional(decodeRates) ?? [],
    captureDrops: number(json, 'capture_drops'),
    planeDrops: number(json, 'plane_drops'),
    hostDrops: number(json, 'host_drops'),
    superPackets: number(json, 'super_packets'),
    badChecksums: number(json, 'bad_checksums'),
    unmatched: number(json, 'unmatched'),
    clockDriftUs: number(json, 'clock_drift_us'),
  };
}

function decodeSpread(json: Json): ErrorSpread {
  return {
    p50: number(json, 'p50'),
    p99: number(json, 'p99'),
    max: number(json, 'max'),
    count: number(json, 'count'),
  };
}

function decodeRates(json: Json): readonly Rate[] {
  return ['down', 'up'].flatMap(
    (direction) =>
      json.get(direction).optional((rate) => ({
        direction,
        achieved: rate.get('achieved_bps').number(),
        planned: rate.get('planned_bps').number(),
      })) ?? [],
  );
}

function decodeDifference(json: Json): Difference {
  const telling = TELLINGS.find((word) => word === json.get('telling').value);
  return {
    variant: json.get('variant').string(),
    link: json.get('link').string(),
    testbed: json.get('testbed').string(),
    metric: json.get('metric').string(),
    absolute: json.get('absolute').number(),
    percent: number(json, 'percent'),
    pairs: json.get('pairs').number(),
    interval: json.get('interval').optional((interval) => {
      const ends = interval.list().map((end) => end.number());
      if (ends.length !== 2) return interval.fail('two numbers');
      return [ends[0], ends[1]];
    }),
    telling: telling ?? json.get('telling').fail(`one of ${TELLINGS.join(', ')}`),
  };
}

function decodeSettings(json: Json): Settings {
  return {
    variant: json.get('variant').string(),
    testbed: json.get('testbed').string(),
    runs: json.get('runs').number(),
    values: new Map(
      json
        .get('values')
        .entries()
        .map(([name, values]) => [name, values.list().map((value) => value.string())]),
    ),
  };
}

function number(json: Json, key: string): number | null {
  return json.get(key).optional((j) => j.number());
}
