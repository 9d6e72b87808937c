import { describe, expect, it } from 'vitest';

import { ns } from '../../lib/brand';
import { BEGINNING, isDone, isOpen, nextStep, readProgress, STEPS } from './progress';

const drawn = {
  ...BEGINNING,
  events: [{ id: 1, kind: 'hold', on: 'both', at: ns(10e9), length: ns(3e9), value: null }] as const,
};

describe('the guided experiment', () => {
  it('goes from step to step', () => {
    expect(nextStep(BEGINNING)).toBe('draw');
    expect(nextStep(drawn)).toBe('run');
    expect(nextStep({ ...drawn, batch: 3 })).toBe('watch');
    expect(nextStep({ ...drawn, batch: 3, ended: true })).toBe('understand');
    expect(nextStep({ ...drawn, batch: 3, ended: true, opened: true })).toBe('compare');
  });

  it('opens steps when what they need is there', () => {
    expect(STEPS.filter((step) => isOpen(step, BEGINNING))).toEqual(['draw']);
    expect(STEPS.filter((step) => isOpen(step, { ...drawn, batch: 3, ended: true }))).toEqual([...STEPS]);
    expect(isDone('draw', { ...BEGINNING, batch: 3 })).toBe(true);
  });

  it('begins anew where nothing good was kept', () => {
    for (const text of [null, '', '7', '{']) expect(readProgress(text)).toEqual(BEGINNING);
    expect(readProgress('{"batch":4}').batch).toBe(4);
  });
});
