import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { decodeReport, type Report } from '../series/report';
import { sampleReport } from '../testing/sample';
import { Claims } from './claims';
import { Header } from './header';
import { RunPicker } from './run-picker';
import { Scorecard } from './scorecard';
import { SummaryTable } from './summary-table';
import { formatValue, spreadInWords, titleOf } from './values';

function sample(): Report {
  const report = decodeReport(JSON.stringify(sampleReport(3).report));
  if (!report) throw new Error('the sample is a report');
  return report;
}

describe('the parts of the report', () => {
  const report = sample();

  it('puts the paper’s number beside ours', () => {
    const html = renderToStaticMarkup(<SummaryTable report={report} />);
    expect(html).toMatch(/ours<\/th><th[^>]*class="paper"[^>]*>paper/);
    expect(html).toContain('>94.13</td>');
    expect(html).toContain('quartiles');
    expect(html.match(/<tr>/g)?.length).toBe(1 + report.cells.length);
  });

  it('groups the table by link where there are several', () => {
    const [first] = report.experiment.links;
    const second = { ...first, name: 'other', title: 'Another link' };
    const both: Report = {
      ...report,
      experiment: { ...report.experiment, links: [first, second] },
      cells: [...report.cells, ...report.cells.map((cell) => ({ ...cell, link: 'other' }))],
    };
    const html = renderToStaticMarkup(<SummaryTable report={both} />);
    expect(html).toContain('Another link');
    expect(html).toContain('GPRS with sudden delays');
  });

  it('gives each claim its status and numbers', () => {
    const html = renderToStaticMarkup(<Claims report={report} />);
    expect(html).toContain('data-status="not reproduced"');
    expect(html).toContain('72.1 s &lt; 85.0 s');
  });

  it('says where the numbers come from', () => {
    const html = renderToStaticMarkup(<Header report={report} />);
    for (const word of ['commit 0000000', 'seed 1', 'size: 100 KiB', '1 of 3 reproduced'])
      expect(html).toContain(word);
  });

  it('sums the detector’s answers over the runs', () => {
    const html = renderToStaticMarkup(<Scorecard report={report} />);
    const cell = report.cells.find((one) => one.variant === 'frto+sack');
    const caught = cell?.metrics.get('detector_true_positives')?.values.reduce((a, b) => a + b, 0);
    expect(html).toContain(`<th scope="row">F-RTO with SACK</th><td>${caught}</td>`);
  });

  it('offers every run once, with one stop for the tab key', () => {
    const html = renderToStaticMarkup(
      <RunPicker report={report} selected={report.runs[4]} versus={null} onSelect={() => undefined} />,
    );
    expect(html.match(/data-key=/g)?.length).toBe(report.runs.length);
    expect(html.match(/tabindex="0"/g)?.length).toBe(1);
    expect(html.match(/aria-current="true"/g)?.length).toBe(1);
  });
});

describe('values', () => {
  const seconds = { label: 'Elapsed time', unit: 's', digits: 2, better: 'lower' } as const;
  const count = { label: 'Packets lost', unit: 'packets', digits: 0, better: 'lower' } as const;

  it('are written with the digits of their metric, halves of counts included', () => {
    expect(formatValue(76.234, seconds)).toBe('76.23');
    expect(formatValue(8.5, count)).toBe('8.5');
    expect(formatValue(9, count)).toBe('9');
    expect(formatValue(102_400, count)).toBe('102\u202f400');
  });

  it('carry a unit only where the name does not say it', () => {
    expect(titleOf(seconds)).toBe('Elapsed time (s)');
    expect(titleOf(count)).toBe('Packets lost');
  });

  it('tell their spread in words', () => {
    const summary = { median: 2, mean: 2.5, q1: 1, q3: 4, min: 1, max: 5, values: [1, 2, 5] };
    expect(spreadInWords(summary, count)).toBe(
      'median 2 of 3 runs; quartiles 1 to 4; range 1 to 5; mean 2.5',
    );
  });
});
