import type { Course, Report, RunEntry } from '../../series/report';
import { linkTitle, variantTitle } from '../values';
import { Legend, LinePlot, type Line } from './line-plot';

interface Props {
  readonly report: Report;
  /** How long a stretch is, as `5 s`. */
  readonly bin: string;
  /** CSS pixels. */
  readonly width: number;
}

/** What all flows of each variant sent, and what of it was delivered, in equal stretches of time. */
export function BandwidthFigure({ report, bin, width }: Props) {
  const seconds = secondsOf(bin);
  const plots = [
    { title: 'Sent', lines: binsOf(report, seconds, (course) => course.sent) },
    { title: 'Delivered', lines: binsOf(report, seconds, (course) => course.delivered) },
  ];
  return (
    <>
      {plots.map(({ title, lines }) => (
        <div key={title} className="trace">
          <h4>{title}</h4>
          <Legend lines={lines} />
          <LinePlot lines={lines} across="Time (s)" up="kB/s" width={width} />
        </div>
      ))}
      <figcaption>
        <b>Bandwidth.</b> Octets of data that all flows together sent, retransmissions included, and octets
        that were delivered for the first time, in each {bin}.
      </figcaption>
    </>
  );
}

/** A line for each run: octets in stretches of so many seconds, as kB/s at the stretch's beginning. */
export function binsOf(
  report: Report,
  seconds: number,
  octets: (course: Course) => readonly number[],
): readonly Line[] {
  return report.runs.flatMap(({ course, ...run }, hue) => {
    if (course === null) return [];
    const sums: number[] = [];
    octets(course).forEach((sum, second) => {
      const bin = Math.floor(second / seconds);
      sums[bin] = (sums[bin] ?? 0) + sum;
    });
    // Where the last stretch ends the line does.
    const points = [...sums, 0].map((sum, i) => ({ x: i * seconds, y: sum / seconds / 1e3 }));
    return [{ name: nameOf(report, run), hue, steps: true, points }];
  });
}

function nameOf(report: Report, { variant, link }: Pick<RunEntry, 'variant' | 'link'>): string {
  const title = variantTitle(report, variant);
  return report.experiment.links.length > 1 ? `${title}, ${linkTitle(report, link)}` : title;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

function secondsOf(text: string): number {
  const [number = '', unit = ''] = text.split(' ');
  return Number(number) * (UNITS[unit] ?? 1);
}
