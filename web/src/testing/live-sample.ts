import { randomFrom } from './sketch';
import {
  LABELS,
  SAMPLE_VARIANTS,
  experiment,
  sampleCells,
  sampleRun,
  type SampleEntry,
  type SampleReport,
} from './sample-report';

const LINUX = [
  { name: 'linux', title: 'Linux', detects: true, sack: true },
  { name: 'linux-no-frto', title: 'Linux without F-RTO', detects: false, sack: true },
];
const OURS = SAMPLE_VARIANTS.slice(0, 2);

/** Makes a report of two of our variants, simulated and live, and of two of the kernel's; one live run is not valid. */
export function sampleLiveReport(repetitions: number): SampleReport {
  const runs = new Map<string, Record<string, unknown>>();
  const entries: SampleEntry[] = [];
  for (const testbed of ['sim', 'netns']) {
    for (const variant of testbed === 'sim' ? OURS : [...OURS, ...LINUX]) {
      for (let repetition = 1; repetition <= repetitions; repetition++) {
        const { entry, series } = sampleRun(variant, repetition, testbed);
        runs.set(entry.key, series);
        if (testbed === 'sim') entries.push(entry);
        else entries.push(live(entry, variant.name === 'sack' && repetition === 2));
      }
    }
  }
  const variants = [...OURS, ...LINUX];
  const cells = variants.flatMap((variant) =>
    ['sim', 'netns'].flatMap((testbed) => {
      const own = entries.filter((one) => one.variant === variant.name && one.testbed === testbed);
      const valid = own.filter((one) => one.certificate?.['valid'] !== false);
      return own.length === 0 ? [] : sampleCells(variant.name, valid, testbed, own.length - valid.length);
    }),
  );
  const order = new Map(variants.map((variant, i) => [variant.name, i]));
  entries.sort((a, b) => (order.get(a.variant) ?? 0) - (order.get(b.variant) ?? 0));
  return {
    report: {
      version: 1,
      experiment: {
        ...experiment(repetitions, variants),
        variants: variants.map((variant) => ({
          name: variant.name,
          title: variant.title,
          summary: [LINUX.includes(variant) ? 'the kernel’s TCP' : 'ours'],
          stack: LINUX.includes(variant) ? 'linux' : 'windlull',
          not_carried: LINUX.includes(variant) ? ['delayed_ack: the kernel has a timer of its own'] : [],
        })),
        live: { plane: 'model', pace: 'precise', peer: 'same' },
      },
      testbeds: ['sim', 'netns'],
      cells,
      claims: ['sim', 'netns'].map((testbed) => ({
        id: 'frto-beats-sack',
        text: 'F-RTO is faster than conventional recovery with SACK',
        criterion: 'median elapsed_s of frto+sack < 1 × that of sack',
        status: 'reproduced',
        measured: testbed === 'sim' ? '72.1 s < 85.0 s' : '72.4 s < 85.3 s',
        testbed,
      })),
      runs: entries,
      labels: LABELS,
      differences: OURS.flatMap(({ name }) => differences(cells, name, repetitions)),
      settings: variants.map((variant) => ({
        variant: variant.name,
        testbed: 'netns',
        runs: repetitions,
        values: settings(variant),
      })),
      failed: [
        { key: 'netns/linux/099', attempts: 2, reason: 'the kernel refused a socket: no buffer space' },
      ],
    },
    runs,
  };
}

function live(entry: SampleEntry, spoilt: boolean): SampleEntry {
  const random = randomFrom(entry.repetition * 31 + entry.variant.length);
  const metrics = {
    ...entry.metrics,
    elapsed_s: entry.metrics['elapsed_s'] * (1 + 0.004 * (random() - 0.3)),
  };
  const error = (p50: number) => ({ p50, p99: 4.1 * p50, max: 11 * p50, count: 1180 });
  return {
    ...entry,
    metrics,
    attempts: spoilt ? 2 : 1,
    certificate: {
      valid: !spoilt,
      reasons: spoilt ? ['the captures dropped 3 packets', 'a stall of 212 ms is longer than 100 ms'] : [],
      plane: 'model',
      release_error_us: error(19 + 6 * random()),
      release_error_in_stalls_us: spoilt
        ? { ...error(9000), count: 14 }
        : { p50: 0, p99: 0, max: 0, count: 0 },
      wire_error_us: error(24 + 6 * random()),
      achieved_rate: { down: { achieved_bps: 28_790.2, planned_bps: 28_800, over_s: 9.5 } },
      script_error_us: { p50: 40, p99: 80, max: 80, count: 2 },
      stalls: { count: spoilt ? 7 : 1, longest_us: spoilt ? 212_000 : 4_100, total_us: 230_000 },
      capture_drops: spoilt ? 3 : 0,
      plane_drops: 0,
      host_drops: 0,
      unmatched: 0,
      packets: 1180,
      super_packets: 0,
      bad_checksums: 0,
      clock_drift_us: 0.4,
    },
  };
}

function differences(
  cells: readonly Record<string, unknown>[],
  variant: string,
  repetitions: number,
): Record<string, unknown>[] {
  const medians = ['sim', 'netns'].map((testbed) => {
    const cell = cells.find((one) => one['variant'] === variant && one['testbed'] === testbed);
    return (cell?.['metrics'] ?? {}) as Record<string, { median: number }>;
  });
  const [simulated, measured] = medians;
  return Object.keys(simulated)
    .filter((metric) => metric in measured)
    .map((metric) => {
      const [from, to] = [simulated[metric].median, measured[metric].median];
      const few = repetitions < 6;
      return {
        variant,
        link: 'gprs-sudden-delays',
        testbed: 'netns',
        metric,
        simulated: from,
        live: to,
        absolute: to - from,
        percent: from === 0 ? null : 100 * (to / from - 1),
        pairs: repetitions,
        interval: few || from === 0 || from === to ? null : [-0.2, 0.4],
        telling: few ? 'too few' : from === to ? 'equal' : 'not told apart',
      };
    });
}

function settings(variant: { readonly name: string; readonly sack: boolean }): Record<string, string[]> {
  const linux = variant.name.startsWith('linux');
  const kernel = {
    'kernel.release': ['6.12.0'],
    'kernel.net.core.rmem_max': ['212992'],
    'kernel.clocksource': ['tsc'],
  };
  if (!linux) return kernel;
  const host = {
    'net.ipv4.tcp_frto': [variant.name === 'linux' ? '2' : '0'],
    'net.ipv4.tcp_sack': ['1'],
    'net.ipv4.tcp_timestamps': ['1'],
    'net.ipv4.tcp_mem':
      variant.name === 'linux' ? ['190587 254116 381174'] : ['190587 254116 381174', '190580 254107 381160'],
    'socket.TCP_CONGESTION': ['reno'],
  };
  return {
    ...kernel,
    ...Object.fromEntries(
      ['server', 'client'].flatMap((side) =>
        Object.entries(host).map(([name, value]) => [`${side}.${name}`, value] as const),
      ),
    ),
  };
}
