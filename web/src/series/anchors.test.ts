import { describe, expect, it } from 'vitest';

import { ONE_HOLD, sampleSeries } from '../testing/sample';
import { cutWindow } from '../testing/window';
import { anchorInWords, commonAnchors, commonExtent } from './anchors';
import { decodeSeries } from './decode';
import { RunIndex } from './run-index';

const indexOf = (series: Record<string, unknown>) => new RunIndex(decodeSeries(JSON.stringify(series)));
const early = sampleSeries({ ...ONE_HOLD, holds: [[5, 8.4]] });
const late = sampleSeries({
  ...ONE_HOLD,
  holds: [
    [6, 9.4],
    [10, 13],
  ],
});

describe('anchors', () => {
  const runs = [indexOf(early), indexOf(late)];
  const anchors = commonAnchors(runs);

  it('are what all runs have, in their order, each at its own instant', () => {
    expect(anchors[0]).toEqual({ key: 'start', label: 'start of the run', t: [0, 0] });
    expect(anchors[1]).toEqual({ key: 'impairment:1', label: 'hold 1', t: [5e9, 6e9] });
    expect(anchors.filter(({ key }) => key.startsWith('impairment')).length).toBe(1);
    expect(anchors.find(({ key }) => key === 'timeout:1')?.t).toEqual(
      runs.map((run) => run.series.timeouts.t[0]),
    );
    expect(anchorInWords(anchors[1], 1)).toBe('hold 1 at 6.000 s');
  });

  it('give an axis that has room for all of every run', () => {
    const { from, to } = commonExtent(runs, anchors[1]);
    expect(from).toBe(-6e9);
    expect(to).toBe(Math.max(runs[0].series.duration - 5e9, runs[1].series.duration - 6e9));
  });

  it('are not guessed where some of a table was left out', () => {
    const end = (late['duration_ns'] as number) + 1;
    const some = indexOf(cutWindow(late, { from: 0, to: end, pixels: 10, most: 1 }));
    const keys = commonAnchors([some]).map(({ key }) => key);
    expect(keys).not.toContain('impairment:1');
    expect(keys).not.toContain('timeout:2');
  });
});
