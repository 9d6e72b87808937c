import type { Schema } from '../../api/client';

/** The command that makes the runs of a batch without a service. Of an experiment of one's own, its files are saved first. */
export function commandOf(batch: Schema<'BatchTold'>, shipped: boolean): string {
  const { experiment, repetitions, seed, testbed, plane, captures } = batch;
  return [
    ...(shipped ? [] : ['WINDLULL_PROFILES=profiles']),
    'windlull run',
    experiment,
    `--reps ${repetitions}`,
    `--seed ${seed}`,
    ...(testbed === 'sim' ? [] : [`--testbed ${testbed}`]),
    ...(plane === null ? [] : [`--plane ${plane}`]),
    ...(captures ? [] : ['--no-pcap']),
  ].join(' ');
}
