import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { decodeReproduction, type Report } from '../../series/report';
import { decodeSeries } from '../../series/decode';
import { sampleReport } from '../../testing/sample-report';
import { binsOf } from './bandwidth-figure';
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

  it('counts every octet sent, and every octet acknowledged once', () => {
    const [sent, acknowledged] = binsOf(series, 5e9);
    const total = (points: readonly { y: number }[]) => points.reduce((sum, point) => sum + point.y * 5e3, 0);
    expect(total(sent.points)).toBeCloseTo(series.data.len.reduce((a, b) => a + b, 0));
    expect(total(acknowledged.points)).toBeLessThanOrEqual(total(sent.points));
    expect(total(acknowledged.points)).toBeGreaterThan(0);
  });

  it('has a timeout above its smoothed round-trip time', () => {
    const lines = new Map(linesOf(series).map((line) => [line.name, line.points]));
    const [rto, srtt] = [lines.get('RTO')?.at(-1), lines.get('SRTT')?.at(-1)];
    expect(rto && srtt && rto.y > srtt.y).toBe(true);
  });
});
