import { quoted } from './run-options';

/** A file by its path. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Lines for a shell that write a text to a file. */
export function heredoc(file: string, text: string): string[] {
  const written = text.trimEnd();
  const lines = new Set(written.split('\n'));
  let end = 'END';
  // A line of the text that is the word would end it there.
  while (lines.has(end)) end += '_';
  return [`cat > ${quoted(file)} <<'${end}'`, written, end];
}

/** Lines for a shell that write files below a directory, and make the directories that they need. */
export function writing(root: string, files: readonly TextFile[]): string[] {
  const placed = files.map(({ path, text }) => ({ path: `${root}/${path}`, text }));
  const folders = new Set(placed.map(({ path }) => path.slice(0, path.lastIndexOf('/'))));
  return [
    `mkdir -p ${[...folders].sort().map(quoted).join(' ')}`,
    ...placed.flatMap(({ path, text }) => heredoc(path, text)),
  ];
}
