import { describe, expect, it } from 'vitest';

import { ns, px } from '../lib/brand';
import { boundsOf, fullView } from '../lib/viewport';
import { LIGHT } from '../paint/palette';
import { SvgSurface } from '../paint/svg-surface';
import { decodeSeries } from '../series/decode';
import { explainAck } from '../series/explain';
import { RunIndex } from '../series/run-index';
import { ONE_HOLD, sampleSeries } from '../testing/sample';
import { makeFrame } from './frame';
import { isPresent, type PartId } from './layers';
import { layOut } from './layout';
import { pick } from './pick';
import { drawScene } from './scene';

interface Tables {
  readonly rates?: Record<string, number[]>;
  readonly delays?: Record<string, number[]>;
}

const delta = (values: readonly number[]) => values.map((value, i) => value - (i === 0 ? 0 : values[i - 1]));

/** A run whose link has these rates or delays. */
function runWith(tables: Tables): RunIndex {
  const series = sampleSeries(ONE_HOLD) as { link: Record<string, unknown> };
  for (const [name, columns] of Object.entries(tables) as [string, Record<string, number[]>][]) {
    series.link[name] = Object.fromEntries(
      Object.entries(columns).map(([column, values]) => [column, delta(values)]),
    );
  }
  return new RunIndex(decodeSeries(JSON.stringify(series)));
}

function drawn(index: RunIndex) {
  const shows = (part: PartId) => isPresent(part, [index]);
  const layout = layOut(1000, shows, 'full');
  const surface = new SvgSurface(layout.width, layout.height);
  const frame = makeFrame({
    surface,
    index,
    layout,
    palette: LIGHT,
    view: fullView(boundsOf(index.series.duration)),
    unit: 'octets',
    alongside: [],
    shows,
    origin: null,
    highlight: null,
  });
  drawScene(frame);
  return { frame, layout, svg: surface.document('t', 'd', '#fff') };
}

const groupOf = (svg: string, name: string) =>
  new RegExp(`<g data-name="${name}">([\\s\\S]*?)</g>\n<g data-name="queue">`).exec(svg)?.[1] ?? '';

describe('the receive window', () => {
  it('is neither drawn nor explained where acknowledgements tell none, as in QUIC', () => {
    const told = runWith({});
    expect(isPresent('window', [told])).toBe(true);
    expect(drawn(told).svg).toContain('data-name="window"');
    const series = sampleSeries(ONE_HOLD) as { acks: { ack: unknown; edge: unknown } };
    series.acks.edge = series.acks.ack;
    const untold = new RunIndex(decodeSeries(JSON.stringify(series)));
    expect(isPresent('window', [untold])).toBe(false);
    expect(drawn(untold).svg).not.toContain('data-name="window"');
    const names = (index: RunIndex) => explainAck(index, 3).facts.map(([name]) => name);
    expect(names(told)).toContain('window');
    expect(names(untold)).toEqual(names(told).filter((name) => name !== 'window'));
  });
});

describe('lanes of settings', () => {
  it('are there for what changes alone', () => {
    const still = runWith({});
    expect([isPresent('rate', [still]), isPresent('delay', [still])]).toEqual([false, false]);
    const { svg } = drawn(still);
    expect(svg).not.toContain('data-name="rate"');
  });

  it('draw hundreds of rates as one line with one scale, and write none of them beside it', () => {
    const count = 400;
    const every = Array.from({ length: count }, (_, i) => i);
    const index = runWith({
      rates: {
        t: every.map((i) => i * 50_000_000),
        direction: every.map(() => 0),
        bps: every.map((i) => 10_000 + (i % 7) * 1_000),
      },
    });
    const { svg, layout, frame } = drawn(index);
    const lane = groupOf(svg, 'rate');
    expect(lane).not.toBe('');
    expect((lane.match(/<text/g) ?? []).length).toBeLessThan(8);
    const link = /<g data-name="link">([\s\S]*?)<g data-name="rate">/.exec(svg)?.[1] ?? '';
    expect(link).not.toContain('kbit/s');
    const box = layout.lanes.get('rate');
    const at = frame.x.toPx(ns(75_000_000));
    expect(pick(frame, at, px((box?.y ?? 0) + 10))?.explanation.facts).toContainEqual(['down', '11 kbit/s']);
  });

  it('draw a step of the delay from what it was before', () => {
    const index = runWith({
      delays: {
        t: [5e9, 8e9],
        direction: [0, 0],
        delay: [1.2e9, 2e8],
        delay_before: [2e8, 1.2e9],
      },
    });
    const { svg, layout, frame } = drawn(index);
    expect(svg).toContain('data-name="delay"');
    expect(svg).not.toContain('NaN');
    const box = layout.lanes.get('delay');
    const shown = (t: number) =>
      pick(frame, frame.x.toPx(ns(t)), px((box?.y ?? 0) + 10))?.explanation.facts[0][1];
    expect([shown(1e9), shown(6e9), shown(9e9)]).toEqual(['200 ms', '1.200 s', '200 ms']);
  });
});
