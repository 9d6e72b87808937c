import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { formatMetric, metricTitle } from '../lib/metric';
import { Claims } from '../results/claims';
import { spreadInWords } from '../results/model';
import { hasScores, Scorecard } from '../results/scorecard';
import { SummaryTable } from '../results/summary-table';
import { decodeReport, type Report } from '../series/report';
import { sampleLiveReport } from '../testing/live-sample';
import { sampleReport } from '../testing/sample-report';
import { Assumptions } from './assumptions';
import { CertificatePanel } from './certificate';
import { Compare, counterpart } from './compare';
import { Header } from './header';
import { KernelSettings } from './kernel-settings';
import { LiveRuns } from './live-runs';
import { RunPicker } from './run-picker';
import { resultsOf } from './values';

interface Of {
  readonly report: Report;
}

function Summary({ report }: Of) {
  return (
    <SummaryTable results={resultsOf(report)} view={{ all: false, sort: null }} onView={() => undefined} />
  );
}

function Scores({ report }: Of) {
  const results = resultsOf(report);
  return hasScores(results) && <Scorecard results={results} />;
}

function ClaimsOf({ report }: Of) {
  return <Claims claims={report.claims} testbeds={report.testbeds} />;
}

function sample(): Report {
  const report = decodeReport(JSON.stringify(sampleReport(3).report));
  if (!report) throw new Error('the sample is a report');
  return report;
}

describe('the parts of the report', () => {
  const report = sample();

  it('puts the paper’s number beside ours', () => {
    const html = renderToStaticMarkup(<Summary report={report} />);
    expect(html).toMatch(/ours<\/th><th[^>]*class="paper"[^>]*>paper/);
    expect(html).toContain('>94.13</td>');
    expect(html).toContain('quartiles');
    expect(html.match(/<tr>/g)?.length).toBe(1 + report.cells.length);
  });

  it('says of copies that nothing is random', () => {
    expect(renderToStaticMarkup(<Header report={report} />)).not.toContain('random');
    const copied = decodeReport(JSON.stringify({ ...sampleReport(3).report, copied: ['gprs'] }));
    expect(copied && renderToStaticMarkup(<Header report={copied} />)).toContain(
      'nothing is random on gprs: all repetitions are copies of one run, and count as one',
    );
  });

  it('groups the table by link where there are several', () => {
    const [first] = report.experiment.links;
    const second = { ...first, name: 'other', title: 'Another link' };
    const both: Report = {
      ...report,
      experiment: { ...report.experiment, links: [first, second] },
      cells: [...report.cells, ...report.cells.map((cell) => ({ ...cell, link: 'other' }))],
    };
    const html = renderToStaticMarkup(<Summary report={both} />);
    expect(html).toContain('Another link');
    expect(html).toContain('GPRS with sudden delays');
  });

  it('gives each claim its status and numbers', () => {
    const html = renderToStaticMarkup(<ClaimsOf report={report} />);
    expect(html).toContain('data-status="not reproduced"');
    expect(html).toContain('72.1 s &lt; 85.0 s');
  });

  it('says where the numbers come from', () => {
    const html = renderToStaticMarkup(<Header report={report} />);
    for (const word of ['commit 0000000', 'seed 1', 'size: 100 KiB', '1 of 3 reproduced'])
      expect(html).toContain(word);
  });

  it('sums the detector’s answers over the runs', () => {
    const html = renderToStaticMarkup(<Scores report={report} />);
    const cell = report.cells.find((one) => one.variant === 'frto+sack');
    const caught = cell?.metrics['detector_true_positives']?.values.reduce((a, b) => a + b, 0);
    expect(html).toContain(`<th scope="row">F-RTO with SACK</th><td>${caught}</td>`);
  });

  it('offers every run once, with one stop for the tab key', () => {
    const html = renderToStaticMarkup(
      <RunPicker report={report} selected={report.runs[4]} other={null} onSelect={() => undefined} />,
    );
    expect(html.match(/data-key=/g)?.length).toBe(report.runs.length);
    expect(html.match(/tabindex="0"/g)?.length).toBe(1);
    expect(html.match(/aria-current="true"/g)?.length).toBe(1);
  });
});

describe('a report with live runs', () => {
  const decoded = decodeReport(JSON.stringify(sampleLiveReport(3).report));
  if (!decoded) throw new Error('the sample is a report');
  const report = decoded;

  it('puts paper, simulated, live and their difference below each other', () => {
    const html = renderToStaticMarkup(<Summary report={report} />);
    const [, first] = html.split('<tbody class="variant">');
    const rows = first.split('<tr').slice(1);
    expect(rows.map((row) => /paper|simulated|live|difference/.exec(row)?.[0])).toEqual([
      'paper',
      'simulated',
      'live',
      'difference',
    ]);
    expect(rows[0]).toContain('>76.23</td>');
    expect(rows[3]).toMatch(/data-telling="too few"[^>]*>\+?[\d.]+ %/);
  });

  it('says that few runs tell little, and what is not seeded', () => {
    const html = renderToStaticMarkup(<Summary report={report} />);
    expect(html).toContain('With 3 pairs of runs it cannot be distinguished from chance');
    expect(html).toContain('the kernel’s is not');
    const enough = decodeReport(JSON.stringify(sampleLiveReport(6).report));
    const page = enough ? renderToStaticMarkup(<Summary report={enough} />) : '';
    expect(page).not.toContain('too few');
    expect(page).toContain('A star marks');
  });

  it('says of runs in virtual time what repeats, and not that they took real time', () => {
    const text = JSON.stringify(sampleLiveReport(3).report).replaceAll('"netns"', '"kernel"');
    const virtual = decodeReport(text);
    const html = virtual ? renderToStaticMarkup(<Summary report={virtual} />) : '';
    expect(html).toContain('Linux in virtual time');
    expect(html).toContain('the clock repeats');
    expect(html).not.toContain('in real time');
  });

  it('has no word of testbeds where all is simulated', () => {
    const html = [Summary, ClaimsOf, Header, Scores]
      .map((Part) => renderToStaticMarkup(<Part report={sample()} />))
      .join('');
    expect(html).not.toMatch(/testbed|simulated|kernel/);
    for (const Part of [KernelSettings]) expect(renderToStaticMarkup(<Part report={sample()} />)).toBe('');
    expect(renderToStaticMarkup(<LiveRuns report={sample()} onSelect={() => undefined} />)).toBe('');
  });

  it('counts an invalid run nowhere, and names it with its reasons', () => {
    const html = renderToStaticMarkup(<LiveRuns report={report} onSelect={() => undefined} />);
    expect(html).toContain('11 of 12 runs');
    expect(html).toContain('netns/sack/002');
    expect(html).toContain('the captures dropped 3 packets; a stall of 212 ms');
    expect(html).toContain('the kernel refused a socket');
    expect(html).toMatch(/<td class="invalid">2 of 3<\/td>/);
    expect(renderToStaticMarkup(<Summary report={report} />)).toContain('not valid');
  });

  it('counts a run that did not end in order nowhere, and says that there is one', () => {
    const cells = report.cells.map((cell) => ({ ...cell, unfinished: 1 }));
    const html = renderToStaticMarkup(<Summary report={{ ...report, cells }} />);
    expect(html).toContain('+1 not ended in order');
    expect(html).toContain('1 more did not end in order and are excluded');
    expect(
      renderToStaticMarkup(<LiveRuns report={{ ...report, cells }} onSelect={() => undefined} />),
    ).toMatch(/<td class="invalid">2 of 4<\/td>/);
  });

  it('tells all that a certificate says, and what it does not', () => {
    const certificate = report.runs.find((run) => run.key === 'netns/sack/001')?.certificate;
    if (!certificate) throw new Error('a live run has a certificate');
    const html = renderToStaticMarkup(<CertificatePanel certificate={certificate} />);
    expect(html).toMatch(/p50 [\d.]+ µs, p99 [\d.]+ µs, max [\d.]+ µs of 1,180 packets/);
    expect(html).toContain('28.79 kbit/s of 28.8 kbit/s planned (−0.03 %)');
    expect(html).toContain('✓');
    const bare = {
      ...certificate,
      release_error_us: null,
      wire_error_us: null,
      script_error_us: null,
    };
    expect(renderToStaticMarkup(<CertificatePanel certificate={bare} />).match(/not measured/g)?.length).toBe(
      3,
    );
  });

  it('shows the settings that differ, and marks what is unusual', () => {
    const html = renderToStaticMarkup(<KernelSettings report={report} />);
    expect(html).toContain('net.ipv4.tcp_frto');
    expect(html).not.toContain('tcp_sack');
    expect(html).toMatch(/<td data-differs="false"[^>]*>2<\/td><td data-differs="true"[^>]*>0<\/td>/);
  });

  it('says with the variant what the kernel does not have', () => {
    expect(renderToStaticMarkup(<Assumptions report={report} />)).toContain(
      'not carried over: delayed_ack: the kernel has a timer of its own',
    );
  });

  it('offers the same repetition of the other testbed for comparison', () => {
    const run = report.runs.find((one) => one.key === 'netns/sack/001');
    if (!run) throw new Error('the sample has this run');
    expect(counterpart(report, run, 'sim:sack')?.key).toBe('sim/sack/001');
    expect(counterpart(report, run, 'linux')?.key).toBe('netns/linux/001');
    expect(counterpart(report, run, 'sack')).toBeNull();
    expect(counterpart(report, run, 'sim:linux')).toBeNull();
    const html = renderToStaticMarkup(
      <Compare report={report} run={run} versus="sim:sack" onChange={() => undefined} />,
    );
    expect(html).toContain('<option value="sim:sack" selected="">SACK, simulated</option>');
  });

  it('scores what Linux says as it scores our detectors', () => {
    const html = renderToStaticMarkup(<Scores report={report} />);
    expect(html.match(/<th scope="row">linux/gi)?.length).toBe(2);
    expect(html).not.toContain('not measured');
    expect(html.match(/class="bar"/g)?.length).toBe(6);
  });

  it('judges a claim in each testbed and writes it once', () => {
    const html = renderToStaticMarkup(<ClaimsOf report={report} />);
    expect(html.match(/F-RTO is faster/g)?.length).toBe(1);
    expect(html).toContain('72.1 s &lt; 85.0 s');
    expect(html).toContain('72.4 s &lt; 85.3 s');
  });
});

describe('values', () => {
  const about = { name: '', definition: '', better: 'lower' } as const;
  const seconds = { ...about, label: 'elapsed time', unit: 's', digits: 2 };
  const count = { ...about, label: 'packets lost', unit: 'packets', digits: 0 };

  it('are written with the digits of their metric, halves of counts included', () => {
    expect(formatMetric(76.234, seconds)).toBe('76.23');
    expect(formatMetric(8.5, count)).toBe('8.5');
    expect(formatMetric(9, count)).toBe('9');
    expect(formatMetric(102_400, count)).toBe('102,400');
  });

  it('carry a unit only where the name does not say it', () => {
    expect(metricTitle(seconds)).toBe('Elapsed time (s)');
    expect(metricTitle(count)).toBe('Packets lost');
  });

  it('tell their spread in words', () => {
    const summary = { median: 2, mean: 2.5, q1: 1, q3: 4, min: 1, max: 5, values: [1, 2, 5] };
    expect(spreadInWords(summary, count)).toBe(
      'median 2 of 3 runs; quartiles 1 to 4; range 1 to 5; mean 2.5',
    );
  });
});
