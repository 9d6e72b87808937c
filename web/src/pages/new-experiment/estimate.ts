import type { Schema } from '../../api/client';
import { formatOctets, groupThousands } from '../../lib/format';
import { lengthInWords, rounded } from '../../lib/roughly';

/** What the runs of an experiment are likely to need, as the service tells it. */
export type Estimate = Schema<'Needs'>;

/** The estimate in lines for a person: packets, disk, time; then the limits that hold. */
export function estimateInWords(estimate: Estimate, live: boolean): readonly string[] {
  const { largest, limits } = estimate;
  const time = live ? 'one run after the other' : 'on one core';
  return [
    `About ${groupThousands(rounded(estimate.packets))} packets, ${formatOctets(rounded(estimate.disk_bytes))} of disk with captures, ` +
      `${lengthInWords(estimate.seconds)} ${time}.`,
    `The largest run: about ${formatOctets(rounded(largest.disk_bytes))} of disk; each may have ` +
      `${formatOctets(limits.disk_bytes)}, ${groupThousands(limits.events)} events and ` +
      `${lengthInWords(limits.virtual_s)} of virtual time.`,
    ...engineInWords(limits),
  ];
}

/** What the kernel holds the engine to that makes runs, if that is known. */
function engineInWords({
  memory_bytes: memory,
  processor_s: processor,
}: Estimate['limits']): readonly string[] {
  if (memory === null) return [];
  const time = processor === null ? '' : ` and ${lengthInWords(processor)} of processor time`;
  return [`An engine may have ${formatOctets(rounded(memory))} of memory${time}.`];
}
