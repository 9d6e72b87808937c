import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { delta, ONE_HOLD, sampleSeries } from '../testing/sample';
import { sampleReport } from '../testing/sample-report';
import { decodeSeries, undelta } from './decode';
import { DataError } from './error';
import { inflateBase64 } from './inflate';
import { decodeReport } from './report';
import { Truth, Verdict } from './types';

const sample = () => structuredClone(sampleSeries(ONE_HOLD)) as Record<string, Record<string, number[]>>;
const refuse = (change: (series: Record<string, Record<string, number[]>>) => void) => {
  const series = sample();
  change(series);
  return () => decodeSeries(JSON.stringify(series));
};

describe('delta coding', () => {
  it('comes back as it was', () => {
    const values = [0, 5, 5, -1, 76_230_000_000, -1, 3];
    expect([...undelta(delta(values), 'x')]).toEqual(values);
    expect([...undelta([], 'x')]).toEqual([]);
  });

  it('stays exact where one addition of 32 bits would not', () => {
    const values = [9e15, 9e15 + 1, 12];
    expect([...undelta(delta(values), 'x')]).toEqual(values);
  });

  it('refuses what is no whole number, with its place', () => {
    expect(() => undelta([1, 0.5], 'series.data.t')).toThrow(
      'series.data.t[1]: expected a whole number, found 0.5',
    );
  });
});

describe('decodeSeries', () => {
  it('reads a run with a spurious timeout', () => {
    const series = decodeSeries(JSON.stringify(sample()));
    expect(series.data.length).toBeGreaterThan(160);
    expect(series.timeouts.length).toBeGreaterThan(0);
    expect(series.timeouts.verdict[0]).toBe(Truth.Spurious);
    expect(series.data.verdict.includes(Verdict.Unnecessary)).toBe(true);
    expect(series.link.holds.length).toBe(1);
    expect(series.run?.seed).toBe('18446744073709551615');
  });

  it('reads what captures of an unknown run show', () => {
    expect(decodeSeries(JSON.stringify({ ...sample(), run: undefined })).run).toBeNull();
  });

  it('reads marks', () => {
    const series = sample();
    expect(decodeSeries(JSON.stringify(series)).link.marks.length).toBe(0);
    Object.assign(series['link'] ?? {}, { marks: { t: [5, 3], direction: [0, 1], id: [7, 2] } });
    const { marks } = decodeSeries(JSON.stringify(series)).link;
    expect([...marks.t, ...marks.direction, ...marks.id]).toEqual([5, 8, 0, 1, 7, 9]);
    Object.assign(series['link'] ?? {}, { marks: { t: [5], direction: [0] } });
    expect(() => decodeSeries(JSON.stringify(series))).toThrow('series.link.marks.id: expected an array');
  });

  it('reads steps of the delay', () => {
    const series = sample();
    expect(decodeSeries(JSON.stringify(series)).link.delays.length).toBe(0);
    Object.assign(series['link'] ?? {}, { delays: { t: [5, 3], direction: [0, 1], delay: [7, 2] } });
    expect(() => decodeSeries(JSON.stringify(series))).toThrow(
      'series.link.delays.delay_before: expected an array',
    );
  });

  it('says what to do about another version', () => {
    expect(refuse((s) => Object.assign(s, { version: 2 }))).toThrow(
      'the series has format version 2, this page reads version 1: open it with a report made by the same, newer Windlull',
    );
    expect(refuse((s) => Object.assign(s, { version: 0 }))).toThrow('run the experiment again');
  });

  it('names the column that is missing, too short or without a name for its code', () => {
    expect(refuse((s) => Reflect.deleteProperty(s['acks'], 'edge'))).toThrow(
      'series.acks.edge: expected an array',
    );
    expect(refuse((s) => s['data']['len'].pop())).toThrow(
      /series\.data\.len: has \d+ values where the other columns/,
    );
    expect(refuse((s) => (s['data']['drop'][0] = 7))).toThrow(
      'series.data.drop[0]: expected a code below 3, or -1',
    );
    expect(refuse((s) => (s['acks']['t'][3] = -1e12))).toThrow(
      'series.acks.t[3]: expected a time not before the last',
    );
  });

  it('refuses text that is no JSON', () => {
    expect(() => decodeSeries('{"version":')).toThrow(DataError);
  });
});

describe('inflateBase64', () => {
  it('inflates what gzip made', () => {
    const text = JSON.stringify({ µ: '√', n: [1, 2, 3] });
    expect(inflateBase64(gzipSync(text).toString('base64'), 'run')).toBe(text);
  });

  it('says so when the data were cut off or are something else', () => {
    const whole = gzipSync('x'.repeat(1000)).toString('base64');
    expect(() => inflateBase64(whole.slice(0, 20), 'frto+sack/001')).toThrow('frto+sack/001');
    expect(() => inflateBase64('%%%', 'run')).toThrow('not base64');
    expect(() => inflateBase64(btoa('plain'), 'run')).toThrow('not gzip');
  });
});

describe('decodeReport', () => {
  it('reads a whole report', () => {
    const report = decodeReport(JSON.stringify(sampleReport(2).report));
    expect(report?.cells.length).toBe(4);
    expect(report?.experiment.workload.title).toBe('kind: bulk');
    expect(report?.experiment.workload.summary).toEqual(['size: 100 KiB', 'direction: down']);
    expect(report?.experiment.published?.rows[1]?.values).toEqual([94.13, 9, 57]);
    expect(report?.cells[0]?.metrics['elapsed_s']?.values.length).toBe(2);
  });

  it('is empty while the page is not filled', () => {
    expect(decodeReport('null')).toBeNull();
  });

  it('refuses another version and an unknown claim status', () => {
    expect(() => decodeReport('{"version":9}')).toThrow('format version 9');
    const { report } = sampleReport(1);
    const odd = { ...report, claims: [{ id: 'a', text: 'b', status: 'maybe' }] };
    expect(() => decodeReport(JSON.stringify(odd))).toThrow(
      'report.claims[0].status: expected one of reproduced',
    );
  });
});
