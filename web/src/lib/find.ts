/** Whether each word of a search occurs in a text, in any order and in any case. */
export function hasWords(text: string, search: string): boolean {
  const low = text.toLowerCase();
  return wordsOf(search).every((word) => low.includes(word));
}

/**
 * The names that a search finds, in themselves or in what `about` says of them. What is called so comes first, then what
 * begins so, then what has a part that begins so; among equals the order stays.
 */
export function findNames(
  names: readonly string[],
  search: string,
  about: (name: string) => string,
): readonly string[] {
  const first = wordsOf(search).at(0);
  const there = names.filter((name) => hasWords(`${name} ${about(name)}`, search));
  return first === undefined ? there : there.toSorted((a, b) => distance(a, first) - distance(b, first));
}

function wordsOf(search: string): readonly string[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** How far a name is from being meant by a word. */
function distance(name: string, word: string): number {
  const low = name.toLowerCase();
  if (low === word) return 0;
  if (low.startsWith(word)) return 1;
  if (low.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) return 2;
  return low.includes(word) ? 3 : 4;
}
