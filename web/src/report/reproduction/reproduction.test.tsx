import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { Claims } from '../../results/claims';
import { distanceOf } from '../../results/paper-table';
import { Statements } from '../../results/statements';
import { decodeReproduction, type Report } from '../../series/report';
import { decodeSeries } from '../../series/decode';
import { Json } from '../../series/json';
import { quantile } from '../../lib/spread';
import { decodeStatement } from '../../series/statements';
import { sampleReport } from '../../testing/sample-report';
import { BandwidthFigure, binsOf } from './bandwidth-figure';
import { flowLines } from './conversations-figure';
import { curvesOf } from './curve-figure';
import { LinePlot } from './line-plot';
import { Published } from './published';
import { roundTripLines } from './round-trips-figure';
import { timerLines } from './timer-figure';

const sample = sampleReport(3);

const CHECK = {
  experiment: 'papers/p/table-1',
  id: 'faster',
  text: 'F-RTO is faster',
  grade: 'within noise',
  criterion: 'less than that of SACK',
  measured: 'ratio 0.98 (0.9 to 1.1)',
  note: null,
};
const STATEMENT = {
  id: 'faster',
  place: 'section 5, table 1',
  text: 'It is faster.',
  grade: 'within noise',
  why: null,
  checks: [CHECK],
  numbers: [
    {
      printed: 'half the time',
      published: 0.5,
      ours: 0.98,
      interval: [0.9, 1.1],
      at_least: false,
      distance: 0.96,
    },
  ],
  by_seed: ['within noise', 'supported'],
};

function reproduction(figure: unknown = null) {
  const report = sample.report as { experiment: object; claims: object[] };
  const one = {
    ...report,
    experiment: { ...report.experiment, figures: figure === null ? [] : [figure] },
    claims: report.claims.map((claim) => ({
      ...claim,
      published: '94 s against 76 s',
      note: 'another timer',
    })),
    directory: 'p/table-1',
    intervals: [{ variant: 'sack', link: 'gprs-sudden', metric: 'elapsed_s', low: 1, high: 2 }],
  };
  return decodeReproduction(
    JSON.stringify({
      version: 1,
      grades: { supported: 'all checks hold' },
      seeds: [{}, {}],
      papers: [
        {
          name: 'p',
          experiments: [one],
          statements: [STATEMENT],
          own_additions: [{ check: CHECK, why: 'ours' }],
        },
      ],
    }),
  );
}

function reportOf(figure?: unknown): Report {
  const report = reproduction(figure)?.papers[0].experiments[0];
  if (!report) throw new Error('the sample is a reproduction');
  return report;
}

describe('a reproduction', () => {
  it('is told from the report of one experiment', () => {
    expect(decodeReproduction(JSON.stringify(sample.report))).toBeNull();
    expect(decodeReproduction('null')).toBeNull();
    expect(reproduction()?.papers.map((paper) => paper.name)).toEqual(['p']);
  });

  it('says of a statement its place, its grade by seed, its checks, and the published number beside ours', () => {
    const html = renderToStaticMarkup(<Statements statements={reproduction()?.papers[0].statements ?? []} />);
    for (const words of [
      'data-status="within noise"',
      'section 5, table 1',
      'published half the time: 0.5; ours 0.98 (95 % interval 0.9 to 1.1), +96 %',
      'by master seed: within noise, supported',
      'href="#p-table-1"',
      'ratio 0.98 (0.9 to 1.1)',
    ])
      expect(html).toContain(words);
  });

  it('refuses a grade that there is not', () => {
    const text = JSON.stringify({ ...STATEMENT, grade: 'proved' });
    expect(() => decodeStatement(Json.parse(text, 'statement'))).toThrow(
      /one of supported, shown by one run/,
    );
  });

  it('says of a claim what was measured, what was published and what differs', () => {
    const html = renderToStaticMarkup(<Claims claims={reportOf().claims} testbeds={reportOf().testbeds} />);
    for (const words of ['data-status="not reproduced"', '94 s against 76 s', 'another timer', 'criterion'])
      expect(html).toContain(words);
  });

  it('puts ours below each published number', () => {
    const html = renderToStaticMarkup(<Published report={reportOf()} />);
    expect(html).toContain('94.13');
    expect(html.match(/class="ours"/g)?.length).toBe(reportOf().experiment.published?.rows.length);
  });

  it('says how far ours is from each published number', () => {
    expect(distanceOf(98, 94)).toBe('+4 %');
    expect(distanceOf(47, 94)).toBe('-50 %');
    expect(distanceOf(1, 0)).toBe('');
    expect(distanceOf(1, null)).toBe('');
  });

  it('refuses a figure that it cannot draw', () => {
    expect(() => reproduction({ kind: 'pie' })).toThrow(/a figure that this page can draw/);
  });

  it('draws a curve through the links in the order of the axis', () => {
    const report = reportOf({ kind: 'curve', metric: 'elapsed_s', axis: 'Loss (%)', at: [3] });
    const [figure] = report.experiment.figures ?? [];
    if (figure.kind !== 'curve') throw new Error('it is a curve');
    const lines = curvesOf(report, figure);
    expect(lines.map((line) => line.points.map((point) => point.x))).toEqual(
      report.experiment.variants.map(() => [3]),
    );
    const html = renderToStaticMarkup(
      <LinePlot lines={lines} across="Loss (%)" up="Seconds" width={600} marks />,
    );
    expect(html.match(/<circle/g)?.length).toBe(lines.length);
  });

  it('reads percentiles as quartiles are read', () => {
    expect(quantile([1, 2, 3, 4, 5], 0.05)).toBeCloseTo(1.2);
    expect(quantile([1, 2, 3, 4, 5], 0.95)).toBeCloseTo(4.8);
  });
});

describe('figures of single runs', () => {
  const [text] = [...sample.runs.values()].map((run) => JSON.stringify(run));
  const series = decodeSeries(text);

  it('adds up what all flows sent and delivered in each stretch', () => {
    const report = reportOf({ kind: 'bandwidth', bin: '2 s', relative_to: '16 kbit/s' });
    const [figure] = report.experiment.figures ?? [];
    if (figure.kind !== 'bandwidth') throw new Error('it is of bandwidth');
    const course = { sent: [1000, 3000, 5000, 7000, 2000], delivered: [1000, 1000] };
    const runs = [{ ...report.runs[0], course }, report.runs[1]];
    const [sent, ...others] = binsOf({ ...report, runs }, 2, (octets) => octets.sent, 8e3);
    expect(others).toEqual([]);
    expect(sent.points).toEqual([
      { x: 0, y: 2 },
      { x: 2, y: 6 },
      { x: 4, y: 1 },
      { x: 6, y: 0 },
    ]);
    const html = renderToStaticMarkup(
      <BandwidthFigure report={{ ...report, runs }} figure={figure} width={600} />,
    );
    // 4 kB in 2 s are what 16 kbit/s carry, and 8 kB the most that was sent.
    expect(html).toContain('in each 2 s, over what 16 kbit/s carries in it');
    expect(html).toContain('Relative bandwidth');
    expect(html.match(/<svg/g)?.length).toBe(2);
  });

  it('shows a timeout as it is estimated where the series has it', () => {
    const names = (state: object) =>
      timerLines([{ series: decodeSeries(JSON.stringify({ ...JSON.parse(text), state })) }]).map(
        (line) => line.name,
      );
    const { state } = JSON.parse(text) as { state: { rto: number[] } };
    expect(names(state)).not.toContain('RTO as estimated');
    expect(names({ ...state, estimated_rto: state.rto })).toContain('RTO as estimated');
  });

  it('has a timeout above its smoothed round-trip time', () => {
    const lines = new Map(timerLines([{ series }]).map((line) => [line.name, line.points]));
    const [rto, srtt] = [lines.get('RTO')?.at(-1), lines.get('SRTT')?.at(-1)];
    expect(rto && srtt && rto.y > srtt.y).toBe(true);
  });

  it('numbers packets as they were sent, each with the time to its acknowledgement', () => {
    const columns = (rows: Record<string, number[]>) => ({ ...rows, length: Object.values(rows)[0].length });
    const extra = {
      // The SYN is no packet; the second was sent again, and nothing acknowledged the last.
      data: columns({
        t: [0, 1e9, 2e9, 4e9, 6e9],
        seq: [0, 1, 101, 101, 201],
        len: [0, 100, 100, 100, 100],
      }),
      acks: columns({ t: [0.5e9, 1.25e9, 4.5e9], ack: [1, 101, 201] }),
      state: columns({ t: [0, 1.25e9, 4e9], rto: [3e9, 1e9, 2e9] }),
    };
    const [trips, timer] = roundTripLines([{ series: { ...series, ...extra } as unknown as typeof series }]);
    expect(trips.points).toEqual([
      { x: 1, y: 0.25 },
      { x: 2, y: 2.5 },
    ]);
    expect(timer.points).toEqual([
      { x: 1, y: 3 },
      { x: 2, y: 1 },
      { x: 3, y: 2 },
      { x: 4, y: 2 },
    ]);
  });

  it('draws a dot for each segment of each conversation, and no line through them', () => {
    const lines = flowLines([{ series }, { series }]);
    expect(lines.map((line) => line.name)).toEqual(['conversation 1', 'conversation 2']);
    const html = renderToStaticMarkup(<LinePlot lines={lines} across="Time (s)" up="kB" width={600} />);
    const paths = [...html.matchAll(/class="dots" d="([^"]*)"/g)].map(([, d]) => d.match(/h0/g)?.length);
    const sent = Array.from(series.data.len).filter((len) => len > 0).length;
    expect(paths).toEqual([sent, sent]);
    expect(html).not.toContain('class="course"');
  });
});
