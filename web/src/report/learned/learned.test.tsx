import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { decodeReport } from '../../series/report';
import { decodeLearned, type Learned, type LearnedWay } from '../../series/learned';
import { sampleReport } from '../../testing/sample-report';
import { LinePlot } from '../reproduction/line-plot';
import { Contents } from './app';
import { distributionLines, lossLines, rateLines, rateUnit, shownUntil, transitLines } from './lines';

const WAY: LearnedWay = {
  packets: 100,
  lost: 3,
  arrivals_bps: [4e6, 8e6],
  rate: { x: [0, 1], y: [8e6, 8e6] },
  transits: { x: [0, 0.5, 0.9], y: [0.03, 0.06, 0.5] },
  delay_s: 0.03,
  full: { x: [0, 1], y: [0.09, 0.09] },
  distributions: [
    { what: 'captured', seconds: [0.03, 0.04, 0.05, 0.06, 0.5] },
    { what: 'nothing waits', seconds: [0.03, 0.03, 0.03, 0.03, 0.03] },
    { what: 'played', seconds: [0.03, 0.04, 0.05, 0.06, 0.07] },
  ],
  losses: { queue: [0, 0], outage: [0, 2], channel: [1, 0], expected: [0.5, 0.5] },
  spells: [{ kind: 'outage', from_s: 0.6, until_s: 0.8 }],
};

const LEARNED: Learned = {
  version: 1,
  kind: 'learned',
  engine: { version: '0.1.0', commit: 'c', sources: 's' },
  captures: ['a.pcapng', 'b.pcapng'],
  length_s: 1,
  window_s: 0.5,
  clocks_s: 0.01,
  data: 'up',
  down: null,
  up: WAY,
  played: 'sack',
  values: [{ on: 'up', name: 'Rate', value: '8 Mbit/s', interval: null, basis: '20 gaps' }],
  unknown: [{ on: 'both', text: 'Bursts do not show.' }],
  notes: ['A note.'],
  link: 'title = "<learned>"',
};

describe('the report of a learned link', () => {
  it('is told from other reports', () => {
    expect(decodeLearned(JSON.stringify(LEARNED))).toEqual(LEARNED);
    expect(decodeLearned('null')).toBeNull();
    expect(decodeLearned(JSON.stringify(sampleReport(1).report))).toBeNull();
    expect(() => decodeLearned(JSON.stringify({ ...LEARNED, version: 2 }))).toThrow('version');
    expect(decodeReport('null')).toBeNull();
  });

  it('has values, what is not known, and the directions that were seen', () => {
    const html = renderToStaticMarkup(<Contents learned={LEARNED} />);
    for (const words of [
      'Learned from a.pcapng and b.pcapng',
      '8 Mbit/s',
      'Bursts do not show.',
      'Up, to the server',
      '10 ms added',
      'A note.',
      'title = &quot;&lt;learned&gt;&quot;',
    ])
      expect(html).toContain(words);
    expect(html).not.toContain('Down, to the client');
  });

  it('lays the learned rate over what arrived, each until the window’s end', () => {
    const unit = rateUnit(WAY);
    expect(unit.name).toBe('Mbit/s');
    const [arrived, learned] = rateLines(WAY, 0.5, unit);
    expect(arrived.points).toEqual([
      { x: 0, y: 4 },
      { x: 0.5, y: 8 },
      { x: 1, y: 8 },
    ]);
    expect(learned.points.map(({ y }) => y)).toEqual([8, 8]);
    expect(rateLines({ ...WAY, rate: null }, 0.5, unit)).toHaveLength(1);
  });

  it('draws delays in milliseconds, and the full queue where there is one', () => {
    const lines = transitLines(WAY, 1);
    expect(lines.map(({ points }) => points.at(-1)?.y)).toEqual([500, 30, 90]);
    expect(transitLines({ ...WAY, full: null }, 1)).toHaveLength(2);
  });

  it('leaves few long transit times out of the distribution', () => {
    const way = {
      ...WAY,
      distributions: [
        { what: 'captured' as const, seconds: Array.from({ length: 201 }, (_, i) => (i < 198 ? 0.05 : 1)) },
      ],
    };
    const until = shownUntil(way);
    expect(until).toBeCloseTo(55);
    const [captured] = distributionLines(way, null, until);
    expect(captured.points.at(-1)).toEqual({ x: 50, y: 98.5 });
    expect(shownUntil({ ...WAY, distributions: WAY.distributions.slice(1) })).toBe(Infinity);
    expect(distributionLines(WAY, 'sack', Infinity).at(-1)?.name).toBe('sack over the learned link');
  });

  it('draws losses of the kinds that there are', () => {
    expect(lossLines(WAY, 0.5).map(({ name }) => name)).toEqual([
      'lost on the channel',
      'lost in outages',
      'channel losses expected of what was learned',
    ]);
    const losses = { queue: [0], outage: [0], channel: [0], expected: [0] };
    expect(lossLines({ ...WAY, losses }, 0.5)).toEqual([]);
  });

  it('shades holds and outages', () => {
    const html = renderToStaticMarkup(
      <LinePlot
        lines={transitLines(WAY, 1)}
        bands={[{ kind: 'outage', from: 0.6, until: 0.8 }]}
        across="Time (s)"
        up="ms"
        width={1000}
      />,
    );
    expect(html).toMatch(/class="band" data-kind="outage"/);
  });
});
