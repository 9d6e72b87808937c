import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { clashes, readBeginning, readForm } from './check';
import {
  beginningAt,
  created,
  endingAt,
  moved,
  nextId,
  reach,
  snap,
  snapStep,
  withEvent,
  without,
} from './edit';
import { amended, begun, redo, step, undo } from './history';
import { describe as inWords } from './kinds';
import { lanesOf, shownUntil } from './lanes';
import { isTimed, type ScriptEvent, type TimedEvent } from './script';
import { firstWindow, shifted, zoomed } from './window';

function hold(at: number, length: number, id = 1): TimedEvent {
  return { id, kind: 'hold', on: 'both', at: ns(at * 1e9), length: ns(length * 1e9), value: null };
}

describe('editing', () => {
  it('moves, and stops at the start of the run', () => {
    expect(moved(hold(10, 3), 12e9)).toEqual(hold(12, 3));
    expect(moved(hold(10, 3), -5e9)).toEqual(hold(0, 3));
  });

  it('resizes at either edge, never to nothing', () => {
    expect(endingAt(hold(10, 3), 15e9)).toEqual(hold(10, 5));
    expect(endingAt(hold(10, 3), 9e9).length).toBe(1e6);
    expect(beginningAt(hold(10, 3), 8e9)).toEqual(hold(8, 5));
    expect(beginningAt(hold(10, 3), 14e9)).toMatchObject({ at: 13e9 - 1e6, length: 1e6 });
  });

  it('adds with a fresh id, replaces by id, removes', () => {
    const one = [hold(10, 3)];
    const added = created('rate', ns(20e9), null, one);
    expect(added).toMatchObject({ id: 2, kind: 'rate', length: null, value: '10 kbit/s' });
    const two = withEvent(one, added);
    expect(nextId(two)).toBe(3);
    expect(withEvent(two, hold(5, 1))).toEqual([hold(5, 1), added]);
    expect(without(two, 1)).toEqual([added]);
    expect(created('late', ns(3e9), null, []).at).toBe('data segment 9');
  });

  it('snaps to round steps', () => {
    expect(snapStep(75e6)).toBe(500e6);
    expect(snapStep(1)).toBe(1e6);
    expect(snap(10.3e9, ns(500e6))).toBe(10.5e9);
  });

  it('undoes and redoes', () => {
    const changed = step(step(begun(1), 2), 3);
    expect(undo(changed).present).toBe(2);
    expect(redo(undo(changed)).present).toBe(3);
    expect(step(undo(changed), 4).future).toEqual([]);
    expect(undo(begun(1))).toEqual(begun(1));
    // A step that goes on is undone as one.
    expect(undo(amended(changed, 4)).present).toBe(2);
  });
});

describe('checks', () => {
  const form = { kind: 'hold', on: 'both', at: '10 s', length: '3 s', value: '' } as const;

  it('reads a form that is right', () => {
    expect(readForm(form, 1)).toEqual({ event: hold(10, 3), errors: {} });
  });

  it('names the field that is wrong', () => {
    expect(readForm({ ...form, at: '10' }, 1).errors).toHaveProperty('at');
    expect(readForm({ ...form, length: '' }, 1).errors.length).toMatch(/have to end/);
    expect(readForm({ ...form, length: '1 us' }, 1).errors).toHaveProperty('length');
    expect(readForm({ ...form, kind: 'rate', value: 'fast' }, 1).errors).toHaveProperty('value');
    expect(readForm({ ...form, kind: 'rate', at: 'packet 3', value: '1 kbit/s' }, 1).errors.at).toMatch(
      /not at packets/,
    );
    expect(readForm({ ...form, kind: 'late', value: '1 s' }, 1).errors.at).toMatch(/Choose the packets/);
    const recovery = { ...form, at: 'on entering recovery' };
    expect(readForm({ ...recovery, kind: 'rate', value: '1 kbit/s' }, 1).errors).toEqual({});
    expect(readForm({ ...recovery, kind: 'late', value: '1 s' }, 1).errors.at).toMatch(/Choose the packets/);
    expect(readForm({ ...recovery, kind: 'drop', length: '' }, 1).errors.length).toMatch(/have to end/);
  });

  it('knows beginnings', () => {
    for (const text of ['packet 12', 'data segments 9..15', 'byte 0', 'second retransmission of segment 12'])
      expect(readBeginning(text)).toEqual({ value: text });
    for (const text of [
      'after byte 200000',
      'retransmission 3',
      '1.5 RTO after the last transmission',
      'when the window first exceeds 20 segments',
      'on entering recovery',
    ])
      expect(readBeginning(text)).toEqual({ value: text });
    for (const text of [
      'packet 0',
      'data segments 9..3',
      'eleventh retransmission of byte 1',
      'soon',
      'retransmission 0',
    ])
      expect(readBeginning(text)).toHaveProperty('wrong');
  });

  it('finds events that do the same at the same time', () => {
    const down: ScriptEvent = { ...hold(12, 3, 2), on: 'down' };
    expect([...clashes([hold(10, 3), down]).keys()]).toEqual([2]);
    expect(clashes([hold(10, 3), { ...down, kind: 'drop' }]).size).toBe(0);
    expect(clashes([hold(10, 3), hold(13, 3, 2)]).size).toBe(0);
    expect(
      clashes([
        { ...hold(1, 3), on: 'up' },
        { ...hold(1, 3, 2), on: 'down' },
      ]).size,
    ).toBe(0);
  });
});

describe('the timeline', () => {
  const rate: ScriptEvent = { id: 5, kind: 'rate', on: 'both', at: ns(5e9), length: null, value: '1 kbit/s' };

  it('has the usual lanes, those that are asked for and those with events', () => {
    expect(lanesOf([]).map(({ kind }) => kind)).toEqual(['hold', 'drop', 'rate', 'delay']);
    expect(lanesOf([], ['loss']).map(({ kind }) => kind)).toContain('loss');
    expect(lanesOf([{ ...rate, kind: 'queue', value: '1 packet' }]).map(({ kind }) => kind)).toContain(
      'queue',
    );
  });

  it('puts what overlaps into rows of its own', () => {
    const [lane] = lanesOf([hold(10, 3), hold(12, 3, 2), hold(20, 1, 3)]);
    expect(lane.rows.map((row) => row.map(({ id }) => id))).toEqual([[1, 3], [2]]);
  });

  it('lets a setting stay until the next one of its kind', () => {
    if (!isTimed(rate)) throw new Error('it has an instant');
    expect(shownUntil(rate, [rate])).toBe(Infinity);
    expect(shownUntil(rate, [rate, { ...rate, id: 6, at: ns(9e9) }])).toBe(9e9);
  });

  it('begins with a minute, or with all that happens', () => {
    expect(firstWindow(ns(13e9))).toEqual({ from: 0, to: 60e9 });
    expect(firstWindow(reach([hold(100, 20)]))).toEqual({ from: 0, to: 150e9 });
  });

  it('zooms around an instant, within the run', () => {
    expect(zoomed({ from: ns(0), to: ns(60e9) }, 0.5, 30e9)).toEqual({ from: 15e9, to: 45e9 });
    expect(zoomed({ from: ns(15e9), to: ns(45e9) }, 4, 30e9).from).toBe(0);
    expect(shifted({ from: ns(0), to: ns(60e9) }, -10)).toEqual({ from: 0, to: 60e9 });
  });

  it('says what an event is', () => {
    expect(inWords(hold(10, 3))).toBe('Hold 3 s, 10 s to 13 s, both directions');
    expect(inWords({ ...rate, on: 'up' })).toBe('Rate 1 kbit/s, from 5 s on, up, client to server');
  });
});
