import { describe, expect, it } from 'vitest';

import { formatMetric, inOrder, metricInWords, metricOf, METRICS, metricTitle } from './metrics';

describe('metrics', () => {
  it('know which way is better, where one way is', () => {
    expect(METRICS.map(({ better }) => better)).toContain(null);
    expect(metricOf('goodput_bps').better).toBe('higher');
    expect(metricOf('elapsed_s').better).toBe('lower');
  });

  it('say their unit once', () => {
    expect(metricTitle(metricOf('elapsed_s'))).toBe('Elapsed time (s)');
    expect(metricTitle(metricOf('packets_lost'))).toBe('Packets lost');
  });

  it('keep the half of a median of counts', () => {
    expect(formatMetric(12.5, metricOf('packets_lost'))).toBe('12.5');
    expect(formatMetric(12, metricOf('packets_lost'))).toBe('12');
  });

  it('have the digits of large values in groups', () => {
    expect(formatMetric(1234, metricOf('packets_lost'))).toBe('1,234');
    expect(formatMetric(1234.5, metricOf('elapsed_s'))).toBe('1,234.50');
    expect(formatMetric(65_039, metricOf('goodput_bps'))).toBe('65,039');
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
