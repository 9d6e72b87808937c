const MOST = 2n ** 64n - 1n;

/** The highest whole number of TOML: a seed above it is written as a text. */
export const MOST_AS_NUMBER = 2n ** 63n - 1n;

/** What is wrong with the text of a seed, which is a whole number of 64 bits without a sign; null if nothing is. */
export function seedProblem(text: string): string | null {
  if (!/^\d+$/.test(text)) return `A whole number from 0 to ${MOST}, as 1 or 20031209`;
  if (text.length > 1 && text.startsWith('0')) return 'Without zeros at the beginning';
  // What is longer is larger, however long it is.
  if (text.length > String(MOST).length || BigInt(text) > MOST) return `At most ${MOST}`;
  return null;
}

/** A seed that nobody chose. */
export function anySeed(): string {
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return String(seed);
}
