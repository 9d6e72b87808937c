import { parse, stringify, type TomlTable } from 'smol-toml';

import { blocksIn, changed, quoted } from '../lib/toml';
import { readEvent, writeEvent, type ScriptEvent } from './script';

/** The events of a text, or why they cannot be told. */
export type ScriptRead =
  { readonly events: readonly ScriptEvent[]; readonly extends: string | null } | { readonly wrong: string };

/** Reads the script of a link's text. Ids are places in the file, from 1. */
export function readScript(toml: string): ScriptRead {
  let table: TomlTable;
  try {
    table = parse(toml);
  } catch (error) {
    return { wrong: error instanceof Error ? error.message.split('\n')[0] : String(error) };
  }
  const events = eventsOf(table['script']);
  if (events === null) return { wrong: 'The timeline cannot show an entry of the script; edit the text.' };
  return { events, extends: typeof table['extends'] === 'string' ? table['extends'] : null };
}

/** The events in a list of `[[script]]` tables, as files and the engine's answers have it; null if one is none. */
export function eventsOf(script: unknown): readonly ScriptEvent[] | null {
  if (script === undefined || script === null) return [];
  if (!Array.isArray(script)) return null;
  const events = script.map((entry, i) => readEvent(entry, i + 1));
  return events.includes(null) ? null : (events as readonly ScriptEvent[]);
}

/**
 * The link's text with this script. Everything else stays as it was written, with its comments, and so do entries
 * that are the same as before. Only where the script is not written as `[[script]]` tables must the text be written anew.
 * The text must be one that `readScript` reads.
 */
export function writeScript(toml: string, events: readonly ScriptEvent[]): string {
  const { rest, blocks } = split(toml);
  const table = parse(toml);
  const before = eventsOf(table['script']) ?? [];
  if (blocks.length !== before.length) {
    const scriptless = Object.entries(table).filter(([name]) => name !== 'script');
    return withBlocks(stringify(Object.fromEntries(scriptless)), events.map(blockOf));
  }
  const written = new Map(before.map((event, i) => [key(event), blocks[i]]));
  return withBlocks(
    rest,
    events.map((event) => written.get(key(event)) ?? blockOf(event)),
  );
}

interface NewLink {
  readonly title: string;
  readonly description?: string;
  readonly base: string;
  readonly events: readonly ScriptEvent[];
}

/** The text of a link that is another one with more happening on it. */
export function extendingLink({ title, description, base, events }: NewLink): string {
  const lines = [`title   = ${quoted(title)}`];
  if (description !== undefined) lines.push(`description = ${quoted(description)}`);
  lines.push(`extends = ${quoted(base)}`);
  return withBlocks(`${lines.join('\n')}\n`, events.map(blockOf));
}

function blockOf(event: ScriptEvent): string {
  const pairs = writeEvent(event);
  const width = Math.max(...pairs.map(([name]) => name.length));
  return ['[[script]]', ...pairs.map(([name, value]) => `${name.padEnd(width)} = ${quoted(value)}`)].join(
    '\n',
  );
}

function withBlocks(rest: string, blocks: readonly string[]): string {
  return `${[rest.trimEnd(), ...blocks].join('\n\n')}\n`;
}

/** The `[[script]]` tables as they are written, and the text without them. */
function split(toml: string): { rest: string; blocks: readonly string[] } {
  const blocks = blocksIn(toml).filter(({ path }) => path[0] === 'script');
  return {
    rest: changed(
      toml,
      blocks.map((block) => ({ ...block, text: '' })),
    ),
    blocks: blocks.map(({ from, to }) => toml.slice(from, to).trimEnd()),
  };
}

const key = (event: ScriptEvent): string => JSON.stringify(writeEvent(event));
