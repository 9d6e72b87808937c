import { describe, expect, it } from 'vitest';

import { ns, octets } from '../../lib/brand';
import { DARK, LIGHT } from '../../paint/palette';
import { SvgSurface } from '../../paint/svg-surface';
import { decodeSeries } from '../../series/decode';
import { RunIndex } from '../../series/run-index';
import { WholeRun } from '../../series/source';
import { Verdict } from '../../series/types';
import { ONE_HOLD, sampleSeries } from '../../testing/sample';
import { OverlayContent } from './content';
import type { Trace } from './frame';

function runOf(detects: boolean): WholeRun {
  const series = sampleSeries({ ...ONE_HOLD, detects, sack: true });
  return new WholeRun(new RunIndex(decodeSeries(JSON.stringify(series))));
}

const HOLD = ns(5e9);
const traces: readonly Trace[] = [
  { source: runOf(true), label: 'F-RTO', origin: HOLD },
  { source: runOf(false), label: 'NewReno', origin: HOLD },
];
const view = { t0: ns(-5e9), t1: ns(12e9), y: null };

function content() {
  const parts = { originLabel: 'hold 1', density: 'full' } as const;
  return new OverlayContent(
    traces,
    parts,
    () => undefined,
    () => undefined,
  );
}

function frameOf(of: OverlayContent, palette = LIGHT) {
  const layout = of.layOut(1000);
  const surface = new SvgSurface(layout.width, layout.height);
  return { surface, frame: of.frame({ surface, layout, palette, view }) };
}

describe('an overlay of runs', () => {
  it('draws each run in a group of its own, aligned, with the event at zero', () => {
    const of = content();
    const { surface, frame } = frameOf(of);
    of.drawScene(frame);
    const svg = surface.document('t', 'd', '#fff');
    for (const name of ['trace F-RTO', 'trace NewReno', 'events F-RTO', 'events NewReno']) {
      expect(svg).toContain(`data-name="${name}"`);
    }
    expect(svg).toContain('Time from hold 1 (s)');
    expect(svg).toContain('>−4<');
    expect(svg).not.toContain('NaN');
    for (const trace of frame.traces) expect(trace.x.toPx(HOLD)).toBeCloseTo(frame.x.toPx(ns(0)));
  });

  it('leaves a hidden run out, and gives its row above the plot back', () => {
    const of = content();
    const before = of.layOut(1000).events.h;
    of.toggle(0);
    expect(of.layOut(1000).events.h).toBeLessThan(before);
    const { surface, frame } = frameOf(of);
    of.drawScene(frame);
    expect(surface.document('', '', '#fff')).not.toContain('trace F-RTO');
    // The other one keeps its colour.
    const { frame: both } = frameOf(content());
    expect(frame.traces[0].style).toEqual(both.traces[1].style);
  });

  it('tells runs apart by more than colour, in both themes', () => {
    for (const palette of [LIGHT, DARK]) {
      const [a, b] = frameOf(content(), palette).frame.traces.map(({ style }) => style);
      expect(a.color).not.toBe(b.color);
      expect(a.dash).not.toEqual(b.dash);
      expect(a.mark).not.toBe(b.mark);
    }
  });

  it('finds what was sent again at its place, and says whose it is', () => {
    const of = content();
    const { frame } = frameOf(of);
    const [, trace] = frame.traces;
    const { data } = trace.index.series;
    const row = trace.index.byVerdict[Verdict.Unnecessary].rows[0];
    const x = trace.x.toPx(ns(data.t[row]));
    const y = trace.y.toPx(octets(data.seq[row] + data.len[row] / 2));
    const found = of.pick(frame, x, y);
    expect(found?.explanation.title).toMatch(/^(NewReno|F-RTO): Segment \d+, sent again$/);
    expect(found?.explanation.facts.join(' ')).toContain('(+');
  });

  it('steps through timeouts of all runs in the time of the axis', () => {
    const of = content();
    const { frame } = frameOf(of);
    const here = { view, pick: null, cursor: ns(-5e9) };
    const first = of.step(frame, 'timeout', 1, here);
    const all = traces.flatMap(({ source }) => [...source.overview.series.timeouts.t]).map((t) => t - HOLD);
    expect(first?.t).toBe(Math.min(...all));
    expect(first?.pick(frame).explanation.title).toMatch(/^(F-RTO|NewReno): Timeout 1$/);
    const last = of.step(frame, 'timeout', -1, { ...here, cursor: ns(900e9) });
    expect(last?.t).toBe(Math.max(...all));
  });
});
