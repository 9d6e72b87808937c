import type { Course, Figure, Report } from '../../series/report';
import { runTitle } from '../values';
import { farthest, Legend, LinePlot, type Line } from './line-plot';

interface Props {
  readonly report: Report;
  readonly figure: Extract<Figure, { kind: 'bandwidth' }>;
  /** CSS pixels. */
  readonly width: number;
}

/** What all flows of each variant sent, and what of it was delivered, in equal stretches of time. */
export function BandwidthFigure({ report, figure, width }: Props) {
  const { bin, relative_to: relativeTo = null } = figure;
  const seconds = valueOf(bin, SECONDS);
  const one = relativeTo === null ? KILOBYTE_BPS : valueOf(relativeTo, BPS);
  const plots = [
    { title: 'Sent', lines: binsOf(report, seconds, (course) => course.sent, one) },
    { title: 'Delivered', lines: binsOf(report, seconds, (course) => course.delivered, one) },
  ];
  const most = { x: 0, y: farthest(plots.flatMap(({ lines }) => lines)).y };
  return (
    <>
      {plots.map(({ title, lines }) => (
        <div key={title} className="trace">
          <h4>{title}</h4>
          <Legend lines={lines} />
          <LinePlot
            lines={lines}
            across="Time (s)"
            up={relativeTo === null ? 'kB/s' : 'Relative bandwidth'}
            width={width}
            levels={relativeTo === null ? [] : [{ at: 1, name: relativeTo }]}
            reach={most}
          />
        </div>
      ))}
      <figcaption>
        <b>Bandwidth.</b> Octets of data that all flows together sent, retransmissions included, and octets
        that were delivered for the first time, in each {bin}
        {relativeTo !== null && `, over what ${relativeTo} carries in it`}.
      </figcaption>
    </>
  );
}

/** A line for each run: octets in stretches of so many seconds, over `one` bit/s, at the stretch's beginning. */
export function binsOf(
  report: Report,
  seconds: number,
  octets: (course: Course) => readonly number[],
  one: number,
): readonly Line[] {
  return report.runs.flatMap(({ course, ...run }, hue) => {
    if (course === null) return [];
    const sums: number[] = [];
    octets(course).forEach((sum, second) => {
      const bin = Math.floor(second / seconds);
      sums[bin] = (sums[bin] ?? 0) + sum;
    });
    // Where the last stretch ends the line does.
    const points = [...sums, 0].map((sum, i) => ({ x: i * seconds, y: (8 * sum) / seconds / one }));
    return [{ name: runTitle(report, run), hue, steps: true, points }];
  });
}

const KILOBYTE_BPS = 8e3;
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };
const BPS: Readonly<Record<string, number>> = { 'bit/s': 1, 'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9 };

/** A quantity as the engine writes it, `5 s`. */
function valueOf(text: string, units: Readonly<Record<string, number>>): number {
  const [number = '', unit = ''] = text.split(' ');
  return Number(number) * (units[unit] ?? 1);
}
