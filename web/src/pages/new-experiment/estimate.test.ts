import { describe, expect, it } from 'vitest';

import { estimateInWords, type Estimate } from './estimate';
import { groupThousands } from '../../lib/format';

const ESTIMATE: Estimate = {
  packets: 30_642,
  disk_bytes: 12_194_322,
  disk_bytes_without_captures: 200_000,
  seconds: 312.4,
  largest: { packets: 7417, disk_bytes: 3_345_000, virtual_s: 68 },
  limits: {
    events: 5_000_000_000,
    virtual_s: 2_592_000,
    disk_bytes: 16e9,
    memory_bytes: null,
    processor_s: null,
  },
  beyond: [],
};

describe('an estimate', () => {
  it('says about how much, beside the limits', () => {
    const events = groupThousands(5_000_000_000);
    expect(estimateInWords(ESTIMATE, false)).toEqual([
      `About ${groupThousands(31_000)} packets, 12 MB of disk with captures, 5 minutes on one core.`,
      `The largest run: about 3.3 MB of disk; each may have 16 GB, ${events} events and 30 days of virtual time.`,
    ]);
    expect(estimateInWords(ESTIMATE, true)[0]).toContain('5 minutes one run after the other.');
  });

  it('says what an engine may have where that is known', () => {
    const limits = { ...ESTIMATE.limits, memory_bytes: 4_294_967_296, processor_s: 14_400 };
    expect(estimateInWords({ ...ESTIMATE, limits }, false)[2]).toBe(
      'An engine may have 4.3 GB of memory and 4 hours of processor time.',
    );
  });
});
