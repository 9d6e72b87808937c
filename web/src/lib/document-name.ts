const MOST_LETTERS = 200;
const MOST_PARTS = 8;

/** The rules of names in a sentence, for who is to choose one. */
export const NAME_RULES =
  'Lower-case letters, digits, + . _ and -, as in frto+sack; a slash puts it into a folder, as in mine/gprs-late.';

/** What is wrong with the name of a document, as the API has it (docs/api.md, Principles); null if nothing is. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'Give it a name, such as gprs-3s-hold.';
  if (name.length > MOST_LETTERS)
    return `A name has at most ${MOST_LETTERS} characters; this has ${name.length}.`;
  const parts = name.split('/');
  if (parts.length > MOST_PARTS) return `A name has at most ${MOST_PARTS} parts between slashes.`;
  if (parts.includes(''))
    return 'A slash separates two parts: none at the beginning or end, no two in a row.';
  const strange = /[^a-z0-9+._/-]/u.exec(name)?.[0];
  if (strange !== undefined) {
    if (/[A-Z]/.test(strange)) return `Lower-case letters only: “${strange}” is a capital.`;
    return strange === ' ' ? 'A name has no spaces; write a hyphen.' : `“${strange}” cannot be in a name.`;
  }
  for (const part of parts) {
    if (!/^[a-z0-9]/.test(part)) return `“${part}” must begin with a letter or digit.`;
    if (part.endsWith('.')) return `“${part}” must not end in a full stop.`;
    if (part.endsWith('.toml')) return 'Leave out .toml: a name is not a file.';
  }
  return null;
}

/** What stands in the way of a new document's name among those that are there; null if nothing does. */
export function takenProblem(
  name: string,
  there: readonly { readonly name: string; readonly origin: 'shipped' | 'own' }[],
  one: string,
): string | null {
  const other = there.find((document) => document.name === name);
  if (!other) return null;
  return other.origin === 'shipped'
    ? `A shipped ${one} is called ${name}; choose another name.`
    : `There is a ${one} called ${name} already; choose another name.`;
}

/** A name made of any text, as of a file: `Verizon LTE (short).down` becomes `verizon-lte-short-.down`, trimmed. */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9+._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[^a-z0-9]+|[.-]+$/g, '')
    .slice(0, 80);
}
