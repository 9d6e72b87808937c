import type { TomlTable, TomlValue } from 'smol-toml';

import { countOf } from '../../lib/toml-edit';

/** Programs that the hosts run, as they stand in the form: lines of words, and a port as text. */
export interface Commands {
  readonly client: string;
  readonly server: string;
  readonly port: string;
}

export const FRESH_COMMANDS: Commands = {
  client: 'curl -sS -o /dev/null http://{server}:8080/100k',
  server: '',
  port: '8080',
};

/** The words of a line, as a shell takes them apart, and no more of a shell than quotes and backslashes. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let i = 0; i < line.length; i += 1) {
    const letter = line.charAt(i);
    if (letter === '\\' && quote !== "'" && i + 1 < line.length) {
      i += 1;
      word = (word ?? '') + line.charAt(i);
    } else if (letter === quote) quote = null;
    else if (quote === null && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === null && /\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + letter;
  }
  if (word !== null) words.push(word);
  return words;
}

/** A line that has these words. */
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** Reads a workload that stands in an experiment; null if it is none of commands. */
export function commandsOf(workload: TomlTable): Commands | null {
  const { kind, client, server, port, ...others } = workload;
  if (kind !== 'command' || Object.keys(others).length > 0) return null;
  const line = (value: TomlValue | undefined) => (Array.isArray(value) ? lineOf(value.map(String)) : '');
  const number = typeof port === 'number' || typeof port === 'bigint' ? String(port) : '';
  return { client: line(client), server: line(server), port: number };
}

/** The workload as it stands in the experiment. */
export function commandsTable({ client, server, port }: Commands): TomlTable {
  const table: TomlTable = { kind: 'command', client: wordsOf(client) };
  const serving = wordsOf(server);
  if (serving.length > 0) table['server'] = serving;
  const at = port.trim();
  if (at !== '') table['port'] = countOf(at);
  return table;
}
