import { describe, expect, it } from 'vitest';

import { placeOf } from './navigation';

describe('placeOf', () => {
  it('finds where an address belongs', () => {
    expect(placeOf('/')?.label).toBe('Home');
    expect(placeOf('/experiments/new')?.label).toBe('New experiment');
    expect(placeOf('/experiments/view/first-look')?.label).toBe('Experiments');
    expect(placeOf('/runs/12')?.label).toBe('Runs');
    expect(placeOf('/profiles/variants/view/frto+sack')?.label).toBe('Profiles');
    expect(placeOf('/nowhere')).toBeUndefined();
  });
});
