import { ParseError, parseTOML, type AST } from 'toml-eslint-parser';

/** Where something stands in a text: offsets of characters, `to` not included. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A key with its value, in whatever table. */
export interface Entry {
  /** From the top, as `both`, `queue`; tables in lists are numbered. */
  readonly path: readonly (string | number)[];
  readonly value: AST.TOMLContentNode;
}

/** A part of a text and what is to stand in its place. */
export interface Change extends TextRange {
  readonly text: string;
}

/** All keys of a text, those of tables in lines too. */
export function entriesIn(toml: string): readonly Entry[] {
  return topOf(toml).body.flatMap((node) =>
    node.type === 'TOMLTable'
      ? node.body.flatMap((entry) => entriesOf(entry, node.resolvedKey))
      : entriesOf(node, []),
  );
}

/** The texts within a value: itself, or those of its list. */
export function textsIn(value: AST.TOMLContentNode): readonly (TextRange & { readonly text: string })[] {
  if (value.type === 'TOMLArray') return value.elements.flatMap(textsIn);
  if (value.type !== 'TOMLValue' || value.kind !== 'string') return [];
  return [{ ...rangeOf(value), text: value.value }];
}

export function rangeOf({ range: [from, to] }: AST.TOMLContentNode): TextRange {
  return { from, to };
}

/** The text with these changes, which do not overlap; all else stays as it was written. */
export function changed(toml: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((a, b) => b.from - a.from || b.to - a.to)
    .reduce((text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to), toml);
}

/** A text as TOML has it, on one line: JSON's escapes are among its own, but for DEL. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

/** What a text says: of one that is being typed, what stands before its first mistake. */
function topOf(toml: string): AST.TOMLTopLevelTable {
  for (let text = toml; ;) {
    try {
      return parseTOML(text).body[0];
    } catch (error) {
      if (!(error instanceof ParseError) || text === '') throw error;
      const mistake = Math.min(error.index, text.length - 1);
      text = text.slice(0, text.lastIndexOf('\n', mistake - 1) + 1);
    }
  }
}

export const keysOf = ({ keys }: AST.TOMLKey): string[] =>
  keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));

function entriesOf({ key, value }: AST.TOMLKeyValue, above: Entry['path']): readonly Entry[] {
  const path = [...above, ...keysOf(key)];
  return [{ path, value }, ...within(value, path)];
}

function within(value: AST.TOMLContentNode, path: Entry['path']): readonly Entry[] {
  if (value.type === 'TOMLInlineTable') return value.body.flatMap((entry) => entriesOf(entry, path));
  if (value.type === 'TOMLArray') return value.elements.flatMap((one, i) => within(one, [...path, i]));
  return [];
}
