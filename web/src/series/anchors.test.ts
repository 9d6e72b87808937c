import { describe, expect, it } from 'vitest';

import { ONE_HOLD, sampleSeries } from '../testing/sample';
import type { SketchSetup } from '../testing/sketch';
import { cutWindow } from '../testing/window';
import { anchorInWords, commonAnchors, commonExtent, usualAnchor } from './anchors';
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

/** The run, with its n-th hold being the script's only line. */
function scripting(setup: SketchSetup, nth: number): RunIndex {
  const series = sampleSeries(setup) as {
    names: { impairment: string[] };
    link: { holds: { name: number[] } };
  };
  const script = series.names.impairment.push('script 1') - 1;
  const names = setup.holds.map((_, i) => (i === nth ? script : 0));
  series.link.holds.name = names.map((name, i) => name - (i === 0 ? 0 : names[i - 1]));
  return indexOf(series);
}

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

  it('find the line of the script that each run met, whatever came before it', () => {
    const drawn: [number, number] = [10, 13];
    const undisturbed = scripting({ ...ONE_HOLD, holds: [drawn] }, 0);
    const disturbed = scripting({ ...ONE_HOLD, holds: [[5, 7.7], drawn] }, 1);
    const both = commonAnchors([undisturbed, disturbed]);
    expect(both[1]).toEqual({ key: 'script:1', label: 'hold (script 1)', t: [10e9, 10e9] });
    expect(usualAnchor(both)?.key).toBe('script:1');
    // The first hold of each is not the same one.
    expect(both.find(({ key }) => key === 'impairment:1')?.t).toEqual([10e9, 5e9]);
  });

  it('have no line of a script that one of the runs did not come to', () => {
    const met = scripting({ ...ONE_HOLD, holds: [[5, 8.4]] }, 0);
    const both = commonAnchors([met, runs[0]]);
    expect(both.map(({ key }) => key)).not.toContain('script:1');
    expect(usualAnchor(both)?.key).toBe('impairment:1');
    expect(usualAnchor(both.slice(0, 1))?.key).toBe('start');
  });

  it('are not guessed where some of a table was left out', () => {
    const end = (late['duration_ns'] as number) + 1;
    const some = indexOf(cutWindow(late, { from: 0, to: end, pixels: 10, most: 1 }));
    const keys = commonAnchors([some]).map(({ key }) => key);
    expect(keys).not.toContain('impairment:1');
    expect(keys).not.toContain('timeout:2');
  });
});
