import type { Problem } from '../api/failure';

/** Where a problem stands in a text: offsets of characters, `to` not included. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/**
 * The problems that have a line in this text, in order of place. A mark goes from the problem's column (its line's first
 * word, if it has none) to the line's end, comments left out. `file` is what the engine calls the text: problems of other
 * files have no mark here.
 */
export function marksOf(text: string, problems: readonly Problem[], file?: string): Mark[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const marks: Mark[] = [];
  for (const problem of problems) {
    if (isElsewhere(problem, file) || typeof problem.line !== 'number') continue;
    // The text may have become shorter since the engine saw it.
    const line = Math.min(Math.max(problem.line, 1), starts.length);
    const start = starts[line - 1] ?? 0;
    const content = (text.slice(start).split('\n', 1)[0] ?? '').replace(/\s+#[^"']*$/, '').trimEnd();
    const first = content.length - content.trimStart().length;
    const column = Math.max(first, (problem.column ?? 1) - 1);
    const from = start + (column < content.length ? column : first);
    marks.push({ from, to: start + content.length, message: problem.message });
  }
  return marks.sort((a, b) => a.from - b.from);
}

/** Whether a problem is of another file than this one, as of an experiment that names it. */
export function isElsewhere(problem: Problem, file: string | undefined): boolean {
  return file !== undefined && typeof problem.file === 'string' && problem.file !== file;
}
