import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { formatMetric, inOrder, metricInWords, metricOf, METRICS, metricTitle } from './metrics';

/** What the controller knows of metrics: the rows of its one table. */
function controllersRows(): readonly (readonly string[])[] {
  const source = readFileSync(new URL('../../../controller/windlull/metrics.py', import.meta.url), 'utf8');
  const row =
    /Metric\(\s*"(\w+)", "([^"]+)", "([^"]*)", (\d+), ("lower"|"higher"|None),\s*((?:"[^"]*"\s*)+),\s*\)/g;
  return [...source.matchAll(row)].map(([, name, label, unit, digits, better, meaning]) => [
    name,
    label,
    unit,
    digits,
    better.replaceAll('"', ''),
    [...meaning.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join(''),
  ]);
}

describe('metrics', () => {
  it('are those of the controller, in its order and its words', () => {
    const rows = controllersRows();
    expect(rows.length).toBeGreaterThan(10);
    expect(
      METRICS.map(({ name, label, unit, digits, better, meaning }) => [
        name,
        label,
        unit,
        String(digits),
        better ?? 'None',
        meaning.replaceAll('’', "'"),
      ]),
    ).toEqual(rows);
  });

  it('say their unit once', () => {
    expect(metricTitle(metricOf('elapsed_s'))).toBe('Elapsed time (s)');
    expect(metricTitle(metricOf('packets_lost'))).toBe('Packets lost');
  });

  it('keep the half of a median of counts', () => {
    expect(formatMetric(12.5, metricOf('packets_lost'))).toBe('12.5');
    expect(formatMetric(12, metricOf('packets_lost'))).toBe('12');
  });

  it('are said in units that people read', () => {
    expect(metricInWords(7579.13, metricOf('goodput_bps'))).toBe('7.58 kbit/s');
    expect(metricInWords(90.5337, metricOf('elapsed_s'))).toBe('90.53 s');
  });

  it('stand in the usual order, unknown ones last', () => {
    expect(inOrder(['new_one', 'goodput_bps', 'elapsed_s'])).toEqual(['elapsed_s', 'goodput_bps', 'new_one']);
    expect(metricOf('new_one').label).toBe('new one');
  });
});
