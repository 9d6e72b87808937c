import type { Icon } from '@tabler/icons-react';

import { record } from '../lib/json';

export type Group = 'Recent' | 'Pages' | 'Actions' | 'Experiments' | 'Profiles' | 'Batches' | 'By number';

/** One line of the command palette. */
export interface Entry {
  /** Stays the same from visit to visit. */
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  readonly about?: string | undefined;
  /** Further words that find it. */
  readonly words?: string | undefined;
  /** Keys that do the same. */
  readonly keys?: string | undefined;
  readonly icon: Icon;
  /** An address of this application, or what to do. */
  readonly choose: string | (() => void);
}

/** How many lines of a group are shown: more are found by typing more. */
const OF_A_GROUP = 7;

/** How well a word of the query fits an entry; 0 if not at all. */
function fit({ label, about = '', words = '' }: Entry, word: string): number {
  const name = label.toLowerCase();
  if (name.startsWith(word)) return 4;
  if (name.split(/[\s/+-]+/).some((part) => part.startsWith(word))) return 3;
  if (name.includes(word)) return 2;
  return `${about} ${words}`.toLowerCase().includes(word) ? 1 : 0;
}

/**
 * The entries that have every word of the query, the best first, in their groups; the group of the best entry stands
 * first. Without a query, all in their order.
 */
export function find(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries
    .map((entry) => ({ entry, fits: words.map((word) => fit(entry, word)) }))
    .filter(({ fits }) => fits.every((value) => value > 0))
    .map(({ entry, fits }) => ({ entry, value: fits.reduce((sum, value) => sum + value, 0) }))
    .sort((a, b) => b.value - a.value);
  const groups = new Map<Group, Entry[]>();
  for (const { entry } of found) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups.values()].flatMap((group) => group.slice(0, OF_A_GROUP));
}

/** The number in `12`, `#12`, `run 12` or `batch 12`, and of what it may be; `null` if the query is none. */
export function numberIn(
  query: string,
): { readonly number: number; readonly of: 'run' | 'batch' | null } | null {
  const parts = /^\s*(?:(run|batch)\s+)?#?(\d{1,15})\s*$/i.exec(query);
  const number = Number(parts?.[2] ?? 0);
  if (number < 1) return null;
  const of = parts?.[1]?.toLowerCase();
  return { number, of: of === 'run' || of === 'batch' ? of : null };
}

/** An entry that was chosen before; only what has an address is worth remembering. */
export interface Chosen {
  readonly label: string;
  readonly to: string;
}

const REMEMBERED = 5;

/** What was chosen last stands first, and once. */
export function withChosen(before: readonly Chosen[], chosen: Chosen): Chosen[] {
  return [chosen, ...before.filter(({ to }) => to !== chosen.to)].slice(0, REMEMBERED);
}

/** Reads what a browser kept; what is no list of choices is nothing. */
export function chosenFrom(text: string | null): Chosen[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(kept) ? kept.filter(isChosen).slice(0, REMEMBERED) : [];
}

function isChosen(value: unknown): value is Chosen {
  const { label, to } = record(value);
  // An address of this application: one slash, not two.
  return typeof label === 'string' && typeof to === 'string' && /^\/(?!\/)/.test(to);
}
