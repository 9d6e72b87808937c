import { describe, expect, it } from 'vitest';

import { pageOf } from './navigation';

describe('pageOf', () => {
  it('finds where an address belongs', () => {
    expect(pageOf('/')?.label).toBe('Home');
    expect(pageOf('/experiments/new')?.label).toBe('New experiment');
    expect(pageOf('/experiments/view/first-look')?.label).toBe('Experiments');
    expect(pageOf('/runs/12')?.label).toBe('Runs');
    expect(pageOf('/differences')?.label).toBe('Runs');
    expect(pageOf('/profiles/variants/view/frto+sack')?.label).toBe('Profiles');
    expect(pageOf('/searches/3')?.label).toBe('Searches');
    expect(pageOf('/schedules/3')?.label).toBe('Schedules');
    expect(pageOf('/nowhere')).toBeUndefined();
  });
});
