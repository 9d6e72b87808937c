import type { DocumentView } from '../../api/documents';
import { quoted } from '../../lib/run-options';
import { intoFolderOf, writingOwn, written, type OwnFile } from '../../parts/own-files';

interface Asked {
  readonly seed: string;
  readonly seconds: number;
  /** What the script is called. */
  readonly out: string;
}

/** Lines for a shell that make the script of a link without a service; `own` are those of the user's own that it builds on. */
export function exportLines(
  { name, toml, origin }: Pick<DocumentView, 'name' | 'toml' | 'origin'>,
  own: readonly OwnFile[],
  { seed, seconds, out }: Asked,
): string {
  const command = (link: string) =>
    `windlull export --format tc --seed ${seed} --for '${seconds} s' ${quoted(link)} --out ${quoted(out)}`;
  if (origin === 'shipped') return command(name);
  const files = written(own, ['link']);
  files.push({ kind: 'link', name, toml, file: 'link.toml' });
  return [intoFolderOf(name), ...writingOwn(files), command('link.toml')].join('\n');
}

const HEADING = '# Where this link differs from the model:';

/** What a script of `tc` and `nft` says of itself that it does otherwise than the model; in its order. */
export function differences(script: string): readonly string[] {
  const lines = script.split('\n');
  const heading = lines.indexOf(HEADING);
  if (heading < 0) return [];
  const notes: string[] = [];
  for (const line of lines.slice(heading + 1)) {
    if (!line.startsWith('# - ')) break;
    notes.push(line.slice(4));
  }
  return notes;
}
