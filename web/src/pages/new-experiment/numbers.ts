import type { TomlValue } from 'smol-toml';

/** What a file has for a text: a number if it is one, the text itself for the engine to refuse, nothing for nothing. */
export function numberOf(text: string): TomlValue | undefined {
  if (text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** What a field shows: what was typed, as long as the file has that, else what the file has. */
export function shownNumber(typed: string | null, value: TomlValue | undefined): string {
  if (typed !== null && numberOf(typed) === value) return typed;
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}
