import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { commandOf } from './command';

const batch: Schema<'BatchView'> = {
  id: 1,
  experiment: 'papers/sarolahti2003/table-1',
  title: '',
  testbed: 'sim',
  plane: null,
  repetitions: 20,
  seed: '18446744073709551615',
  captures: true,
  priority: 0,
  engine: { version: '0.1.0', commit: '0' },
  known_before: 0,
  imported: false,
  pinned: false,
  tags: [],
  note: '',
  created_at: '2026-01-01T00:00:00Z',
  state: 'ended',
  runs: {},
  total: 0,
};

describe('commandOf', () => {
  it('says all that was asked for', () => {
    expect(commandOf(batch)).toBe(
      'windlull run papers/sarolahti2003/table-1 --reps 20 --seed 18446744073709551615',
    );
    expect(commandOf({ ...batch, testbed: 'netns', plane: 'model', captures: false })).toBe(
      'windlull run papers/sarolahti2003/table-1 --reps 20 --seed 18446744073709551615 --testbed netns --plane model --no-pcap',
    );
  });
});
