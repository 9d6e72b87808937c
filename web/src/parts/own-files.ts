import { useQuery } from '@tanstack/react-query';

import type { Schema } from '../api/client';
import { readDocument } from '../api/documents';
import { heredoc } from '../lib/shell';
import { changed, entriesIn, quoted, textsIn } from '../lib/toml';
import type { DocumentKind } from '../ui/links';

/** A document of the user's own that another builds on. */
export interface OwnFile {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly toml: string;
}

const NONE: readonly OwnFile[] = [];

/** The texts of the user's own documents among those that one builds on: no one has them without this service. */
export function useOwnFiles(buildsOn: readonly Schema<'PartView'>[]): readonly OwnFile[] {
  const own = buildsOn.filter(({ origin }) => origin === 'own');
  const { data } = useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['behind', '/api/v1/links', own],
    queryFn: ({ signal }) =>
      Promise.all(
        own.map(async ({ kind, name }) => {
          const { toml } = await readDocument(`${kind}s`, name, signal);
          return { kind, name, toml };
        }),
      ),
  });
  return data ?? NONE;
}

/** Where a file names one of a kind; a file of that kind builds on another of it by `extends`. */
const NAMED_BY: Readonly<Partial<Record<DocumentKind, readonly string[]>>> = {
  link: ['link', 'links', 'access'],
  variant: ['variants', 'variant'],
  workload: ['workload', 'workloads'],
};

/** A document with the file that a shell writes it to. */
export interface Written extends OwnFile {
  readonly file: string;
}

/** Each of these in a file of its own, none of which is called as one of `taken`, without its ending. */
export function written(own: readonly OwnFile[], taken: readonly string[]): Written[] {
  return own.map((one) => ({ ...one, file: fileOf(one, own, taken) }));
}

/** Names of two kinds may be the same, those of files may not. */
function fileOf({ kind, name }: OwnFile, own: readonly OwnFile[], taken: readonly string[]): string {
  const flat = (text: string) => text.replaceAll('/', '-');
  const alone = own.every((one) => flat(one.name) !== flat(name) || one.kind === kind);
  return alone && !taken.includes(flat(name)) ? `${flat(name)}.toml` : `${kind}-${flat(name)}.toml`;
}

/** Lines for a shell that write these files, each with the path of another wherever that is named. */
export function writingOwn(files: readonly Written[]): string[] {
  return files.flatMap(({ kind, file, toml }) => heredoc(file, withPaths(kind, toml, files)));
}

/** The line for a shell that makes a directory for a document, and goes there. */
export function intoFolderOf(name: string): string {
  const folder = name.replaceAll('/', '-');
  return `mkdir -p ${folder} && cd ${folder}`;
}

/** Lines for a shell that write an experiment and these files into a directory of their own, and run it there. */
export function runningLines(
  { name, toml }: Pick<OwnFile, 'name' | 'toml'>,
  files: readonly Written[],
  options: readonly string[],
): string {
  return [
    intoFolderOf(name),
    ...writingOwn(files),
    ...heredoc('experiment.toml', withPaths('experiment', toml, files)),
    ['windlull run experiment.toml', ...options].join(' '),
  ].join('\n');
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
