/** What the schema of files says of a key, in words for a form's field. */
export interface KeySchema {
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly atLeast?: string;
  readonly atMost?: string;
}

/** How a value of a type of the schema is entered. What may be a number or a text, as a probability, is a text. */
export type Entry = 'switch' | 'count' | 'text';

export function entryOf(type: string | readonly string[] | undefined): Entry {
  return type === 'boolean' ? 'switch' : type === 'integer' ? 'count' : 'text';
}

const DEFAULT = /\s*\bDefault:\s([^]*)\.$/;

/** Its title, or its key as words: `mean_packet` is "Mean packet". */
export function labelOf(key: string, { title }: KeySchema): string {
  const words = key.replaceAll('_', ' ');
  return title ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** What it is and its range, without the default and without the marks of Markdown. */
export function aboutOf({ description = '', ...range }: KeySchema): string {
  return plain(description.replace(DEFAULT, '')) + rangeOf(range);
}

/** What holds where a file does not say it; null if the schema has no words for that. */
export function defaultOf({ description = '' }: KeySchema): string | null {
  const said = DEFAULT.exec(description)?.[1];
  return said === undefined ? null : plain(said);
}

const plain = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ');

function rangeOf({ atLeast, atMost, minimum, maximum }: KeySchema): string {
  const [least, most] = [atLeast ?? minimum, atMost ?? maximum];
  if (least !== undefined && most !== undefined) return ` From ${least} to ${most}.`;
  if (least !== undefined) return ` At least ${least}.`;
  return most === undefined ? '' : ` At most ${most}.`;
}
