import type { Series } from '../../series/types';
import type { Report, RunEntry } from '../../series/report';
import type { RunStore } from '../runs';
import { useRun } from '../use-run';
import { variantTitle } from '../values';
import { Legend, LinePlot, type Line } from './line-plot';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  /** How long a stretch is, as `5 s`. */
  readonly bin: string;
  /** CSS pixels. */
  readonly width: number;
}

/** What each variant sent, and what was acknowledged, in equal stretches of time. */
export function BandwidthFigure({ report, store, bin, width }: Props) {
  return (
    <>
      {report.runs.map((run) => (
        <Bins key={run.key} {...{ report, store, bin, run, width }} />
      ))}
      <figcaption>
        <b>Bandwidth.</b> Octets of data sent, retransmissions included, and octets acknowledged, in each{' '}
        {bin}.
      </figcaption>
    </>
  );
}

function Bins({ report, store, bin, run, width }: Props & { readonly run: RunEntry }) {
  const loaded = useRun(store, run.key);
  const lines = loaded && 'run' in loaded ? binsOf(loaded.run.overview.series, nanoseconds(bin)) : [];
  return (
    <div className="trace">
      <h4>{variantTitle(report, run.variant)}</h4>
      {lines.length > 0 && (
        <>
          <Legend lines={lines} />
          <LinePlot lines={lines} across="Time (s)" up="kB/s" width={width} />
        </>
      )}
    </div>
  );
}

/** Sent and acknowledged octets of equal stretches, as kB/s at the stretch's beginning. */
export function binsOf({ data, acks, duration }: Series, binNs: number): readonly Line[] {
  const count = Math.max(1, Math.ceil(duration / binNs));
  const sent = new Float64Array(count);
  const acked = new Float64Array(count);
  const at = (t: number) => Math.min(count - 1, Math.floor(t / binNs));
  for (let i = 0; i < data.length; i++) sent[at(data.t[i])] += data.len[i];
  let highest = 0;
  for (let i = 0; i < acks.length; i++) {
    if (acks.ack[i] > highest) {
      acked[at(acks.t[i])] += acks.ack[i] - highest;
      highest = acks.ack[i];
    }
  }
  const points = (octets: Float64Array) =>
    [...octets].map((sum, i) => ({ x: (i * binNs) / 1e9, y: (sum / binNs) * 1e6 }));
  return [
    { name: 'sent', hue: 1, steps: true, points: points(sent) },
    { name: 'acknowledged', hue: 0, steps: true, points: points(acked) },
  ];
}

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9 };

function nanoseconds(text: string): number {
  const [number = '', unit = ''] = text.split(' ');
  return Number(number) * (UNITS[unit] ?? 1e9);
}
