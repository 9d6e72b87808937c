import type { Draft } from './draft';
import type { Outcome } from './settle';

/** Lines for a shell that write the files and run them without any service. */
export function commandLines(draft: Draft, { link, workload, experiment }: Outcome): string {
  const folder = experiment.name.replaceAll('/', '-');
  let toml = experiment.toml;
  const lines = [`mkdir -p ${folder} && cd ${folder}`];
  for (const [document, file] of [
    [link, 'link.toml'],
    [workload, 'workload.toml'],
  ] as const) {
    if (!document) continue;
    // Inside a file, the path of a file stands where a name does.
    toml = toml.replaceAll(`"${document.name}"`, `"${file}"`);
    lines.push(...heredoc(file, document.toml));
  }
  lines.push(...heredoc('experiment.toml', toml));
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
