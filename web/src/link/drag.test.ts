import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { dragged, nudged } from './drag';
import type { TimedEvent } from './script';

const STEP = ns(0.5e9);
const hold: TimedEvent = { id: 1, kind: 'hold', on: 'both', at: ns(10e9), length: ns(3e9), value: null };

describe('a hand on the timeline', () => {
  it('draws from either end, in steps', () => {
    const draw = { doing: 'draw', kind: 'hold', since: ns(9.9e9) } as const;
    expect(dragged(draw, ns(13.1e9), STEP, [])).toEqual(hold);
    expect(dragged({ ...draw, since: ns(13.1e9) }, ns(9.9e9), STEP, [])).toEqual(hold);
  });

  it('adds an event of the usual length by a tap', () => {
    expect(dragged({ doing: 'draw', kind: 'drop', since: ns(7e9) }, ns(7.1e9), STEP, [hold])).toEqual({
      ...hold,
      id: 2,
      kind: 'drop',
      at: 7e9,
    });
  });

  it('draws no packets', () => {
    expect(dragged({ doing: 'draw', kind: 'late', since: ns(7e9) }, ns(9e9), STEP, [])).toBeNull();
  });

  it('moves and resizes', () => {
    const drag = (doing: 'move' | 'begin' | 'end', by: number) =>
      dragged({ doing, event: hold, since: ns(11e9) }, ns(11e9 + by), STEP, [hold]);
    expect(drag('move', 2.1e9)).toMatchObject({ at: 12e9, length: 3e9 });
    expect(drag('begin', -2e9)).toMatchObject({ at: 8e9, length: 5e9 });
    expect(drag('end', 2e9)).toMatchObject({ at: 10e9, length: 5e9 });
  });

  it('leaves an exact instant alone until it has moved by half a step', () => {
    const exact = { ...hold, at: ns(10.123e9) };
    const drag = { doing: 'move', event: exact, since: ns(11e9) } as const;
    expect(dragged(drag, ns(11.1e9), STEP, [])).toBe(exact);
    expect(dragged(drag, ns(11.3e9), STEP, [])?.at).toBe(10.5e9);
  });

  it('gives a setting that stays an end', () => {
    const rate: TimedEvent = { ...hold, kind: 'rate', length: null, value: '1 kbit/s' };
    expect(dragged({ doing: 'end', event: rate, since: ns(60e9) }, ns(20e9), STEP, [])?.length).toBe(10e9);
  });
});

describe('arrow keys', () => {
  const press = (key: string, more = {}) =>
    nudged(hold, { key, shiftKey: false, ctrlKey: false, metaKey: false, ...more }, STEP);

  it('move by a step, or a tenth of it', () => {
    expect(press('ArrowRight')?.at).toBe(10.5e9);
    expect(press('ArrowLeft', { ctrlKey: true })?.at).toBe(9.95e9);
    expect(press('x')).toBeNull();
  });

  it('resize with Shift', () => {
    expect(press('ArrowRight', { shiftKey: true })).toMatchObject({ at: 10e9, length: 3.5e9 });
  });
});
