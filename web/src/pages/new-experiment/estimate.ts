import type { Schema } from '../../api/client';
import { formatOctets, groupThousands, plural } from '../../lib/format';

/** What the runs of an experiment are likely to need, as the service tells it. */
export type Estimate = Schema<'Needs'>;

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

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

/** A number with two digits that count: more of an estimate would not be true. */
export function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

/** So many seconds as a person says it: `3 minutes`, `5 hours`. */
export function lengthInWords(seconds: number): string {
  if (seconds >= 2 * DAY) return plural(Math.round(seconds / DAY), 'day');
  if (seconds >= 2 * HOUR) return plural(Math.round(seconds / HOUR), 'hour');
  if (seconds >= 2 * MINUTE) return plural(Math.round(seconds / MINUTE), 'minute');
  return seconds < 1 ? 'less than a second' : plural(Math.round(seconds), 'second');
}
