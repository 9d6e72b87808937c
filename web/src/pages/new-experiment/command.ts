import { optionWords } from '../../lib/run-options';
import { runningLines, written, type OwnFile } from '../../parts/own-files';
import type { Draft } from './draft';
import type { Outcome } from './documents';
import type { Replay } from './replay';

/** Lines for a shell that write the files and run them without any service; `own` are those that the draft builds on. */
export function commandLines(
  draft: Draft,
  { link, workload, experiment, replay }: Outcome,
  own: readonly OwnFile[],
): string {
  const named = own.filter(({ kind, name }) => kind !== 'link' || name !== replay?.name);
  const files = written(named, ['link', 'workload', 'experiment']);
  if (replay) files.push({ kind: 'link', name: replay.name, toml: replayText(replay), file: 'link.toml' });
  else if (link) files.push({ kind: 'link', ...link, file: 'link.toml' });
  if (workload) files.push({ kind: 'workload', ...workload, file: 'workload.toml' });
  const { testbed, captures } = draft;
  const options = optionWords({ testbed, plane: testbed === 'sim' ? null : draft.plane, captures });
  return runningLines(experiment, files, options);
}

/** The rows of a run are in its capsule: a link that names it says the same in few lines. */
function replayText({ run, by }: Replay): string {
  const capsule = `run-${run}.capsule.zip`;
  return [
    `# The run's capsule goes beside this file: "Download everything" on the run's page.`,
    `title = "What the packets of run ${run} met, by ${by}"`,
    '[replay]',
    `fates = "${capsule}"`,
    `by = "${by}"`,
    '',
  ].join('\n');
}
