import type { Schema } from '../../api/client';
import { optionWords } from '../../lib/run-options';

/** The command that makes the runs of a batch without a service, where its experiment is found by its name. */
export function commandOf(batch: Schema<'BatchView'>): string {
  const { experiment, repetitions, seed, testbed, plane, captures } = batch;
  return ['windlull run', experiment, ...optionWords({ repetitions, seed, testbed, plane, captures })].join(
    ' ',
  );
}
