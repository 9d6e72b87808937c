import type { Draft } from './draft';
import type { Outcome } from './settle';
import type { OwnFile } from './use-own-files';

/** Lines for a shell that write the files and run them without any service; `own` are those that the draft names. */
export function commandLines(
  draft: Draft,
  { link, workload, experiment }: Outcome,
  own: readonly OwnFile[],
): string {
  const folder = experiment.name.replaceAll('/', '-');
  const files = new Map<string, { readonly file: string; readonly toml: string }>();
  for (const { name, toml } of own) files.set(name, { file: `${name.replaceAll('/', '-')}.toml`, toml });
  if (link) files.set(link.name, { file: 'link.toml', toml: link.toml });
  if (workload) files.set(workload.name, { file: 'workload.toml', toml: workload.toml });
  // Inside a file, the path of a file stands where a name does.
  const withPaths = (toml: string) =>
    [...files].reduce((text, [name, { file }]) => text.replaceAll(`"${name}"`, `"${file}"`), toml);
  const lines = [`mkdir -p ${folder} && cd ${folder}`];
  for (const { file, toml } of files.values()) lines.push(...heredoc(file, withPaths(toml)));
  lines.push(...heredoc('experiment.toml', withPaths(experiment.toml)));
  const options = [
    ...(draft.testbed === 'netns' ? ['--testbed', 'netns'] : []),
    ...(draft.plane === null || draft.testbed === 'sim' ? [] : ['--plane', draft.plane]),
    ...(draft.captures ? [] : ['--no-pcap']),
  ];
  lines.push(['windlull', 'run', 'experiment.toml', ...options].join(' '));
  return lines.join('\n');
}

function heredoc(file: string, text: string): string[] {
  return [`cat > ${file} <<'END'`, text.trimEnd(), 'END'];
}
