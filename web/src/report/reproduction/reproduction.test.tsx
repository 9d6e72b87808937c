import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { decodeReproduction, type Report } from '../../series/report';
import { decodeSeries } from '../../series/decode';
import { sampleReport } from '../../testing/sample-report';
import { BandwidthFigure, binsOf } from './bandwidth-figure';
import { quantile } from './box-figure';
import { ClaimList } from './claim-list';
import { curvesOf } from './curve-figure';
import { LinePlot } from './line-plot';
import { PaperTable } from './paper-table';
import { linesOf } from './timer-figure';

const sample = sampleReport(3);

function reproduction(figure: unknown = null) {
  const report = sample.report as { experiment: object; claims: object[] };
  const one = {
    ...report,
    experiment: { ...report.experiment, figure },
    claims: report.claims.map((claim) => ({
      ...claim,
      published: '94 s against 76 s',
      note: 'another timer',
    })),
    directory: 'p/table-1',
    intervals: [{ variant: 'sack', link: 'gprs-sudden', metric: 'elapsed_s', low: 1, high: 2 }],
  };
  return decodeReproduction(JSON.stringify({ version: 1, papers: [{ name: 'p', experiments: [one] }] }));
}

function reportOf(figure?: unknown): Report {
  const report = reproduction(figure)?.papers[0].reports[0];
  if (!report) throw new Error('the sample is a reproduction');
  return report;
}

describe('a reproduction', () => {
  it('is told from the report of one experiment', () => {
    expect(decodeReproduction(JSON.stringify(sample.report))).toBeNull();
    expect(decodeReproduction('null')).toBeNull();
    expect(reproduction()?.papers.map((paper) => paper.name)).toEqual(['p']);
  });

  it('says of a claim what was measured, what was published and what differs', () => {
    const html = renderToStaticMarkup(<ClaimList report={reportOf()} />);
    for (const words of ['data-status="not reproduced"', '94 s against 76 s', 'another timer', 'criterion'])
      expect(html).toContain(words);
  });

  it('puts ours below each published number', () => {
    const html = renderToStaticMarkup(<PaperTable report={reportOf()} />);
    expect(html).toContain('94.13');
    expect(html.match(/class="ours"/g)?.length).toBe(reportOf().experiment.published?.rows.length);
  });

  it('refuses a figure that it cannot draw', () => {
    expect(() => reproduction({ kind: 'pie' })).toThrow(/a figure that this page can draw/);
  });

  it('draws a curve through the links in the order of the axis', () => {
    const report = reportOf({ kind: 'curve', metric: 'elapsed_s', axis: 'Loss (%)', at: [3] });
    const { figure } = report.experiment;
    if (figure?.kind !== 'curve') throw new Error('it is a curve');
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
    const report = reportOf({ kind: 'bandwidth', bin: '2 s' });
    const course = { sent: [1000, 3000, 5000, 7000, 2000], delivered: [1000, 1000] };
    const runs = [{ ...report.runs[0], course }, report.runs[1]];
    const [sent, ...others] = binsOf({ ...report, runs }, 2, (octets) => octets.sent);
    expect(others).toEqual([]);
    expect(sent.points).toEqual([
      { x: 0, y: 2 },
      { x: 2, y: 6 },
      { x: 4, y: 1 },
      { x: 6, y: 0 },
    ]);
    const html = renderToStaticMarkup(<BandwidthFigure report={{ ...report, runs }} bin="2 s" width={600} />);
    expect(html).toContain('in each 2 s');
    expect(html.match(/<svg/g)?.length).toBe(2);
  });

  it('shows a timeout as it is estimated where the series has it', () => {
    const names = (state: object) =>
      linesOf(decodeSeries(JSON.stringify({ ...JSON.parse(text), state }))).map((line) => line.name);
    const { state } = JSON.parse(text) as { state: { rto: number[] } };
    expect(names(state)).not.toContain('RTO as estimated');
    expect(names({ ...state, estimated_rto: state.rto })).toContain('RTO as estimated');
  });

  it('has a timeout above its smoothed round-trip time', () => {
    const lines = new Map(linesOf(series).map((line) => [line.name, line.points]));
    const [rto, srtt] = [lines.get('RTO')?.at(-1), lines.get('SRTT')?.at(-1)];
    expect(rto && srtt && rto.y > srtt.y).toBe(true);
  });
});
