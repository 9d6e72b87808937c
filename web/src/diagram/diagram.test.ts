import { describe, expect, it } from 'vitest';

import { ns, octets, px } from '../lib/brand';
import { boundsOf, fullView, type Viewport } from '../lib/viewport';
import { LIGHT } from '../paint/palette';
import { estimatedTextWidth } from '../paint/surface';
import { SvgSurface } from '../paint/svg-surface';
import { decodeSeries } from '../series/decode';
import { RunIndex } from '../series/run-index';
import { Truth, Verdict } from '../series/types';
import { ONE_HOLD, sampleSeries } from '../testing/sample';
import { figureSvg } from './export';
import { fitSequence, makeFrame } from './frame';
import { keyCommand } from './gestures';
import { isPresent, type PartId } from './layers';
import { figureLegend } from './legend';
import { inside, layOut } from './layout';
import { pick, pickRow } from './pick';
import { drawScene } from './scene';

const index = new RunIndex(
  decodeSeries(JSON.stringify(sampleSeries({ ...ONE_HOLD, detects: true, sack: true }))),
);
const bounds = boundsOf(index.series.duration);
const shows = (part: PartId) => isPresent(part, [index]);
const layout = layOut(1000, shows, 'full');

function frameOf(view: Viewport = fullView(bounds)) {
  const surface = new SvgSurface(layout.width, layout.height);
  return {
    surface,
    frame: makeFrame({
      surface,
      index,
      layout,
      palette: LIGHT,
      view,
      unit: 'octets',
      alongside: [],
      shows,
      origin: null,
      highlight: null,
    }),
  };
}

describe('layOut', () => {
  it('puts lanes below the plot without overlap, all of one width', () => {
    for (const width of [320, 390, 800, 1600]) {
      const { plot, lanes, axis, height } = layOut(width, () => true, 'full');
      let below = plot.y + plot.h;
      for (const box of lanes.values()) {
        expect(box.y).toBeGreaterThanOrEqual(below);
        expect([box.x, box.w]).toEqual([plot.x, plot.w]);
        below = box.y + box.h;
      }
      expect(axis.y).toBe(below);
      expect(height).toBe(axis.y + axis.h);
      expect(plot.x + plot.w).toBeLessThanOrEqual(width);
    }
  });

  it('gives no room to a hidden lane', () => {
    const without = layOut(1000, (lane) => lane !== 'queue', 'full');
    expect(without.lanes.has('queue')).toBe(false);
    expect(without.height).toBeLessThan(layOut(1000, () => true, 'full').height);
  });
});

describe('fitSequence', () => {
  it('shows all of the run in the full view', () => {
    const { lo, hi } = fitSequence(index, ns(0), index.series.duration);
    expect(lo).toBeLessThanOrEqual(0);
    expect(hi).toBeGreaterThanOrEqual(index.dataEnd);
  });

  it('follows a part of the run and stays finite where nothing happens', () => {
    const part = fitSequence(index, ns(3e9), ns(4e9));
    expect(part.lo).toBeGreaterThan(0);
    expect(part.hi).toBeLessThan(index.dataEnd);
    const hold = fitSequence(index, ns(6e9), ns(6.001e9));
    expect(hold.hi).toBeGreaterThan(hold.lo);
  });
});

describe('drawScene', () => {
  it('draws every present layer in a group of its own', () => {
    const { surface, frame } = frameOf();
    drawScene(frame);
    const svg = surface.document('t', 'd', '#fff');
    for (const name of [
      'segments',
      'acks',
      'window',
      'timeouts',
      'link',
      'queue',
      'cwnd',
      'timer',
      'detector',
    ]) {
      expect(svg, name).toContain(`data-name="${name}"`);
    }
    expect(svg).not.toContain('NaN');
    expect(svg).not.toContain('Infinity');
  });

  it('draws one bar for each original where there is room', () => {
    const { surface, frame } = frameOf();
    drawScene(frame);
    const group =
      /<g data-name="segments">\n<path d="([^"]*)"/.exec(surface.document('', '', '#fff'))?.[1] ?? '';
    expect(group.split('M').length - 1).toBe(index.byVerdict[Verdict.Original].rows.length);
  });

  it('survives views far outside of the data', () => {
    for (const view of [
      { t0: ns(-5e9), t1: ns(-4e9), y: null },
      { t0: ns(900e9), t1: ns(901e9), y: null },
      { t0: ns(5e9), t1: ns(5e9 + 1000), y: { lo: octets(1e9), hi: octets(1e9 + 1) } },
    ]) {
      const { surface, frame } = frameOf(view);
      drawScene(frame);
      expect(surface.document('', '', '#fff')).not.toContain('NaN');
    }
  });
});

describe('pick', () => {
  it('finds every segment at its own place', () => {
    const { frame } = frameOf({ t0: ns(4e9), t1: ns(6e9), y: null });
    const { data } = index.series;
    for (let row = 0; row < data.length; row++) {
      if (data.t[row] < 4.05e9 || data.t[row] > 5.95e9) continue;
      const x = frame.x.toPx(ns(data.t[row]));
      const y = frame.y.toPx(octets(data.seq[row] + data.len[row] / 2));
      expect(pickRow(frame, row)).toMatchObject({ t: data.t[row], row });
      if (inside(frame.layout.plot, x, y)) expect(pick(frame, x, y)?.row).toBe(row);
    }
  });

  it('finds timeouts above the plot, holds and the state in their lanes, and nothing outside', () => {
    const { frame } = frameOf();
    const at = frame.x.toPx(ns(index.series.timeouts.t[0]));
    expect(pick(frame, at, layout.events.y + 5)?.explanation.title).toBe('Timeout 1');
    const link = layout.lanes.get('link');
    const cwnd = layout.lanes.get('cwnd');
    const middle = frame.x.toPx(ns(7.5e9));
    expect(pick(frame, middle, (link?.y ?? 0) + 8)?.explanation.title).toMatch(/^Hold of/);
    expect(pick(frame, middle, (cwnd?.y ?? 0) + 20)?.explanation.title).toMatch(/^Sender at/);
    expect(pick(frame, px(2), px(2))).toBeNull();
  });
});

describe('figureSvg', () => {
  it('carries title, provenance and a legend of what it shows', () => {
    const showing = (part: PartId) => part !== 'window' && shows(part);
    const { frame } = frameOf();
    const svg = figureSvg({
      layout,
      measure: estimatedTextWidth,
      title: 'F-RTO & SACK',
      provenance: 'seed 1',
      legend: figureLegend([index], showing),
      draw: (surface) => {
        drawScene(makeFrame({ ...frame, surface, unit: 'segments', shows: showing }));
      },
    });
    expect(svg).toContain('<title>F-RTO &amp; SACK</title>');
    expect(svg).toContain('<desc>seed 1</desc>');
    expect(svg).toContain('Sequence number (segments)');
    expect(svg).toContain('>ACK</text>');
    expect(svg).not.toContain('receive window');
  });
});

describe('keyCommand', () => {
  it('knows its keys and leaves the others alone', () => {
    expect(keyCommand('+', false)).toEqual({ name: 'zoom', factor: 0.7 });
    expect(keyCommand('ArrowRight', true)).toEqual({ name: 'pan', dx: 0.5, dy: 0 });
    expect(keyCommand('0', false)).toEqual({ name: 'reset' });
    expect(keyCommand('n', false)).toEqual({ name: 'step', target: 'segment', step: 1 });
    expect(keyCommand('R', true)).toEqual({ name: 'step', target: 'retransmission', step: -1 });
    expect(keyCommand('Tab', false)).toBeNull();
  });
});

describe('a capture of one end from elsewhere', () => {
  const series = sampleSeries(ONE_HOLD) as { link: object; timeouts: { t: number[] } };
  const nothing = (table: object): object =>
    Object.fromEntries(
      Object.entries(table).map(([key, value]: [string, object]) => [
        key,
        Array.isArray(value) ? [] : nothing(value),
      ]),
    );
  const elsewhere = new RunIndex(
    decodeSeries(
      JSON.stringify({
        ...series,
        run: null,
        link: nothing(series.link),
        timeouts: { ...series.timeouts, verdict: series.timeouts.t.map(() => Truth.Unknown) },
      }),
    ),
  );

  it('has no lane of what nobody knows', () => {
    expect(['link', 'queue'].map((lane) => isPresent(lane as PartId, [elsewhere]))).toEqual([false, false]);
    expect(['link', 'queue'].map((lane) => isPresent(lane as PartId, [index]))).toEqual([true, true]);
  });

  it('has the unknown verdict of its timeouts in the legend', () => {
    const labels = (...runs: RunIndex[]) => figureLegend(runs, () => true).map(({ label }) => label);
    expect(labels(elsewhere)).toContain('timeout, verdict unknown');
    expect(labels(index)).toContain('timeout: spurious, genuine');
    expect(labels(index, elsewhere)).toContain('timeout: spurious, genuine, unknown');
  });
});

describe('the lane of limits', () => {
  const series = sampleSeries(ONE_HOLD) as { names: object };
  const limited = new RunIndex(
    decodeSeries(
      JSON.stringify({
        ...series,
        names: { ...series.names, limit: ['congestion-window', 'receive-window'] },
        limits: { t: [1e9, 9e9], by: [0, 1] },
      }),
    ),
  );
  const presence = (part: PartId) => isPresent(part, [limited]);
  const place = layOut(1000, presence, 'full');
  const draw = (view: Viewport) => {
    const surface = new SvgSurface(place.width, place.height);
    const parts = { surface, layout: place, palette: LIGHT, view, unit: 'octets', shows: presence } as const;
    const drawn = makeFrame({ ...parts, index: limited, alongside: [], origin: null, highlight: null });
    drawScene(drawn);
    return { drawn, svg: surface.document('', '', '#fff') };
  };

  it('is there only if the sender tells', () => {
    expect(isPresent('limits', [index])).toBe(false);
    expect(presence('limits')).toBe(true);
  });

  it('names what holds the sender, and for how long', () => {
    const { drawn, svg } = draw(fullView(boundsOf(limited.series.duration)));
    expect(svg).toContain('congestion window 9.0 s');
    const box = place.lanes.get('limits');
    if (!box) throw new Error('there is the lane');
    const y = box.y + box.h / 2;
    const before = pick(drawn, drawn.x.toPx(ns(5e9)), y)?.explanation;
    expect(before?.title).toBe('Sender limited by congestion window');
    expect(before?.facts).toEqual([
      ['from', '1.000 s'],
      ['to', '10.000 s'],
    ]);
    expect(pick(drawn, drawn.x.toPx(ns(12e9)), y)?.explanation.title).toBe(
      'Sender limited by receive window',
    );
    expect(pick(drawn, drawn.x.toPx(ns(0.5e9)), y)).toBeNull();
  });
});
