import type { Schema } from '../../api/client';
import { optionWords } from '../../lib/run-options';

/** The command that makes the runs of a batch without a service. Of an experiment of one's own, its files are saved first. */
export function commandOf(batch: Schema<'BatchView'>, shipped: boolean): string {
  const { experiment, repetitions, seed, testbed, plane, captures } = batch;
  return [
    ...(shipped ? [] : ['WINDLULL_PROFILES=profiles']),
    'windlull run',
    experiment,
    ...optionWords({ repetitions, seed, testbed, plane, captures }),
  ].join(' ');
}
