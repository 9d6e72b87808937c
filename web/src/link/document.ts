import { parse, type TomlTable } from 'smol-toml';

import type { Problem } from '../api/failure';
import { messageAt } from '../api/problems';
import { list } from '../lib/json';
import { quoted } from '../lib/toml';
import { edited, parsed } from '../lib/toml-edit';
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
 * that are the same as before. The text must be one that `readScript` reads.
 */
export function writeScript(toml: string, events: readonly ScriptEvent[]): string {
  const table = parsed(toml);
  const before = list(table['script']) as readonly TomlTable[];
  const known = new Map((eventsOf(before) ?? []).map((event, i) => [key(event), before[i]]));
  const tableOf = (event: ScriptEvent) => known.get(key(event)) ?? Object.fromEntries(writeEvent(event));
  // An event that changes stays where it is, with the comments beside what it says still.
  if (events.length === before.length) return edited(toml, withScript(table, events.map(tableOf)));
  const kept = events.flatMap((event) => known.get(key(event)) ?? []);
  const rest = edited(
    toml,
    withScript(
      table,
      before.filter((one) => kept.includes(one)),
    ),
  );
  return edited(rest, withScript(table, events.map(tableOf)));
}

function withScript(table: TomlTable, script: readonly TomlTable[]): TomlTable {
  const others = Object.fromEntries(Object.entries(table).filter(([name]) => name !== 'script'));
  return script.length === 0 ? others : { ...others, script: [...script] };
}

interface NewLink {
  readonly title: string;
  readonly description?: string;
  readonly base: string;
  readonly events: readonly ScriptEvent[];
}

/** What the engine says of entries of the script, by the event's id. */
export function problemsByEvent(
  problems: readonly Problem[],
  events: readonly ScriptEvent[],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [i, { id }] of events.entries()) {
    const message = messageAt(problems, `script[${i}]`);
    if (message !== undefined) found.set(id, message);
  }
  return found;
}

/** The text of a link that is another one with more happening on it. */
export function extendingLink({ title, description, base, events }: NewLink): string {
  const lines = [`title   = ${quoted(title)}`];
  if (description !== undefined) lines.push(`description = ${quoted(description)}`);
  lines.push(`extends = ${quoted(base)}`);
  return writeScript(`${lines.join('\n')}\n`, events);
}

const key = (event: ScriptEvent): string => JSON.stringify(writeEvent(event));
