import type { Schema } from '../../api/client';

/** The command that makes the runs of a batch without a service. */
export function commandOf(batch: Schema<'BatchTold'>): string {
  const { experiment, repetitions, seed, testbed, plane, captures } = batch;
  return [
    'windlull run',
    experiment,
    `--reps ${repetitions}`,
    `--seed ${seed}`,
    ...(testbed === 'sim' ? [] : [`--testbed ${testbed}`]),
    ...(plane === null ? [] : [`--plane ${plane}`]),
    ...(captures ? [] : ['--no-pcap']),
  ].join(' ');
}
