import { optionWords } from '../../lib/run-options';
import { runningLines, written, type OwnFile } from '../../parts/own-files';
import type { Draft } from './draft';
import type { Outcome } from './documents';

/** Lines for a shell that write the files and run them without any service; `own` are those that the draft builds on. */
export function commandLines(
  draft: Draft,
  { link, workload, experiment }: Outcome,
  own: readonly OwnFile[],
): string {
  const files = written(own, ['link', 'workload', 'experiment']);
  if (link) files.push({ kind: 'link', ...link, file: 'link.toml' });
  if (workload) files.push({ kind: 'workload', ...workload, file: 'workload.toml' });
  const { testbed, captures } = draft;
  const options = optionWords({ testbed, plane: testbed === 'sim' ? null : draft.plane, captures });
  return runningLines(experiment, files, options);
}
