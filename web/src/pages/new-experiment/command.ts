import { optionWords } from '../../lib/run-options';
import { changed, entriesIn, quoted, textsIn } from '../../lib/toml';
import type { DocumentKind } from '../../ui/links';
import type { Draft } from './draft';
import type { Outcome } from './documents';
import type { OwnFile } from './use-own-files';

/** Where a file names one of a kind; a file of that kind builds on another of it by `extends`. */
const NAMED_BY: Readonly<Partial<Record<DocumentKind, readonly string[]>>> = {
  link: ['link', 'links', 'access'],
  variant: ['variants', 'variant'],
  workload: ['workload', 'workloads'],
};

interface Written {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly file: string;
  readonly toml: string;
}

/** Lines for a shell that write the files and run them without any service; `own` are those that the draft builds on. */
export function commandLines(
  draft: Draft,
  { link, workload, experiment }: Outcome,
  own: readonly OwnFile[],
): string {
  const folder = experiment.name.replaceAll('/', '-');
  const files: Written[] = own.map((one) => ({ ...one, file: fileOf(one, own) }));
  if (link) files.push({ kind: 'link', ...link, file: 'link.toml' });
  if (workload) files.push({ kind: 'workload', ...workload, file: 'workload.toml' });
  const lines = [`mkdir -p ${folder} && cd ${folder}`];
  for (const { kind, file, toml } of files) lines.push(...heredoc(file, withPaths(kind, toml, files)));
  lines.push(...heredoc('experiment.toml', withPaths('experiment', experiment.toml, files)));
  const { testbed, captures } = draft;
  const options = optionWords({ testbed, plane: testbed === 'sim' ? null : draft.plane, captures });
  lines.push(['windlull run experiment.toml', ...options].join(' '));
  return lines.join('\n');
}

/** Names of two kinds may be the same, those of files may not. */
function fileOf({ kind, name }: OwnFile, own: readonly OwnFile[]): string {
  const flat = (text: string) => text.replaceAll('/', '-');
  const taken = ['link', 'workload', 'experiment'].includes(flat(name));
  const alone = own.every((one) => flat(one.name) !== flat(name) || one.kind === kind);
  return alone && !taken ? `${flat(name)}.toml` : `${kind}-${flat(name)}.toml`;
}

/** The text of a file with the path of a file wherever a name stands that is one's own. */
function withPaths(kind: DocumentKind, toml: string, files: readonly Written[]): string {
  const changes = entriesIn(toml).flatMap(({ path, value }) =>
    textsIn(value).flatMap(({ text, ...place }) => {
      // A variant may be on a kernel of its own, as `NAME@KERNEL`.
      const [name, ...kernel] = text.split('@');
      const file = files.find((one) => one.name === name && namesOne(kind, one.kind, path.at(-1)));
      return file === undefined ? [] : [{ ...place, text: quoted([file.file, ...kernel].join('@')) }];
    }),
  );
  return changed(toml, changes);
}

/** Whether a key of a file of one kind names a file of another. */
function namesOne(kind: DocumentKind, named: DocumentKind, key: string | number | undefined): boolean {
  return (NAMED_BY[named] ?? []).some((one) => one === key) || (key === 'extends' && named === kind);
}

function heredoc(file: string, text: string): string[] {
  return [`cat > ${file} <<'END'`, text.trimEnd(), 'END'];
}
