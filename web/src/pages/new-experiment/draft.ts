import { stringify, type TomlTable, type TomlValue } from 'smol-toml';

import { isRecord, texts } from '../../lib/json';
import { valueAt } from '../../lib/values';
import { MOST_AS_NUMBER } from '../../lib/seed';
import { edited, parsed } from '../../lib/toml-edit';
import { type ScriptEvent } from '../../link/script';
import type { ReplayBy } from '../../lib/replay';
import type { Plane, Testbed } from '../../ui/testbeds';
import { commandsOf, commandsTable, type Commands } from './commands';
import { workloadOf, type OwnWorkload } from './flows';

/** A document that was saved on the way, so that saving again goes on from there. */
export interface Made {
  readonly name: string;
  readonly toml: string;
  readonly revision: number;
}

export type MadeKind = 'link' | 'workload' | 'experiment';

/** Keys that stand at places of their own in a draft, and that an experiment may have from one that it extends. `link`: or `links`, and so on. */
export const INHERITABLE = [
  'link', 'variants', 'live.variants', 'workload', 'flows', 'repetitions', 'seed',
] as const; // prettier-ignore
export type Inheritable = (typeof INHERITABLE)[number];

/** An experiment that is being set up. Numbers are texts: they may be wrong yet. All of it is JSON. */
export interface Draft {
  /** Null: suggested from what the experiment is. */
  readonly title: string | null;
  readonly name: string | null;
  /** The experiment that it began as a copy of. */
  readonly copyOf: string | null;
  /** The experiment that it extends. */
  readonly extends: string | null;
  /** What it has from there, or as a base leaves open: nothing of it is in this draft (inherited.ts). */
  readonly inherits: readonly Inheritable[];
  /** The text that it was read from, which is edited; empty if there is none. */
  readonly source: string;
  readonly links: readonly string[];
  /** In the place of a link: the run of which it plays what its packets met, and by what. */
  readonly replay: { readonly run: number; readonly by: ReplayBy } | null;
  /** What is drawn on the link, if there is one link. */
  readonly events: readonly ScriptEvent[];
  /** What the link with the events is to be called; null: suggested. */
  readonly linkName: string | null;
  readonly variants: readonly string[];
  /** Variants that join where there is a kernel. */
  readonly live: readonly string[];
  readonly workload: string;
  /** What is transferred, if it is not a workload that is there already. */
  readonly ownWorkload: OwnWorkload | null;
  /** What the hosts run, if that is the workload. */
  readonly commands: Commands | null;
  /** How many flows its first set has on each link, as `20, 40`; empty: as the workload says. */
  readonly flows: string;
  readonly repetitions: string;
  readonly seed: string;
  /** Every other key of the file, those that the form does not know among them. */
  readonly rest: TomlTable;
  readonly testbed: Testbed;
  readonly plane: Plane | null;
  readonly captures: boolean;
  /** The text, while it is edited as such: then it is what counts. */
  readonly text: string | null;
  readonly made: Partial<Record<MadeKind, Made>>;
}

export const EMPTY: Draft = {
  title: null,
  name: null,
  copyOf: null,
  extends: null,
  inherits: [],
  source: '',
  links: [],
  replay: null,
  events: [],
  linkName: null,
  variants: [],
  live: [],
  workload: 'bulk-100-kib-down',
  ownWorkload: null,
  commands: null,
  flows: '',
  repetitions: '10',
  seed: '1',
  rest: {},
  testbed: 'sim',
  plane: null,
  captures: true,
  text: null,
  made: {},
};

/** Reads the text of an experiment into a draft; what the text does not say stays as it is. */
export function withText(draft: Draft, toml: string): Draft | { readonly wrong: string } {
  try {
    return { ...withTable(draft, parsed(toml)), source: toml, text: null };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a file says what it may have from one that it extends. */
export const says = (table: TomlTable, path: string): boolean =>
  [path, SEVERAL[path] ?? path].some((one) => valueAt(table, one) !== undefined);

/** Keys in the place of others, for several things. */
const SEVERAL: Readonly<Partial<Record<string, string>>> = { link: 'links', workload: 'workloads' };

const unsaid = (table: TomlTable) => INHERITABLE.filter((key) => !says(table, key));

/** The draft of what a file says. */
export function withTable(draft: Draft, table: TomlTable): Draft {
  const {
    title,
    extends: base,
    link,
    links,
    variants,
    workload,
    flows,
    repetitions,
    seed,
    live: onKernels,
    ...others
  } = table;
  const { variants: live, ...liveRest } = isRecord(onKernels) ? (onKernels as TomlTable) : {};
  const rest: TomlTable = { ...others };
  const inline = inlineOf(workload);
  if (Object.keys(liveRest).length > 0) rest['live'] = liveRest;
  // What a link replays stands in the experiment itself, and stays until a link is chosen.
  if (isRecord(link)) rest['link'] = link;
  return {
    ...draft,
    title: typeof title === 'string' ? title : null,
    extends: typeof base === 'string' ? base : null,
    inherits: typeof base === 'string' || table['base'] === true ? unsaid(table) : [],
    links: typeof link === 'string' ? [link] : texts(links),
    // Of commands every variant is the kernel's; the form has those in a list of their own.
    variants: inline.commands ? [] : texts(variants),
    live: inline.commands ? [...texts(variants), ...texts(live)] : texts(live),
    workload: typeof workload === 'string' ? workload : 'workloads' in table ? '' : draft.workload,
    ...inline,
    flows: Array.isArray(flows) ? flows.map(String).join(', ') : '',
    repetitions: number(repetitions, '1'),
    seed: typeof seed === 'string' ? seed : number(seed, '1'),
    rest,
  };
}

/** A workload that stands in the experiment itself: commands, or sets of flows to be kept under a name. */
function inlineOf(workload: TomlValue | undefined): Pick<Draft, 'commands' | 'ownWorkload'> {
  if (!isRecord(workload)) return { commands: null, ownWorkload: null };
  const table = workload as TomlTable;
  const commands = commandsOf(table);
  const own = commands ? null : workloadOf(stringify({ title: '', ...table }));
  return { commands, ownWorkload: own && { ...own, title: null } };
}

/** What the file says where the draft leaves it open. */
export interface Settled {
  readonly title: string;
  readonly links: readonly string[];
  readonly workload: string;
}

/** The text of the experiment: what it says itself, in the text that it was read from. */
export function toText(draft: Draft, { title, links, workload }: Settled): string {
  const { live: onKernels, description, source, link: replayed, ...rest } = draft.rest;
  const { variants, commands } = draft;
  const has = (key: Inheritable) => !draft.inherits.includes(key);
  const live = { ...(isRecord(onKernels) ? (onKernels as TomlTable) : {}) };
  if (has('live.variants') && draft.live.length > 0 && !commands) live['variants'] = [...draft.live];
  return edited(
    draft.source,
    defined({
      title,
      extends: draft.extends ?? undefined,
      description,
      source,
      ...(has('link') && linkOf(links, replayed)),
      ...(has('variants') && !commands && { variants: [...variants] }),
      ...(commands &&
        (has('variants') || has('live.variants')) && { variants: [...variants, ...draft.live] }),
      ...(has('workload') &&
        !('workloads' in rest) && { workload: commands ? commandsTable(commands) : workload }),
      ...(has('flows') &&
        draft.flows.trim() !== '' && { flows: draft.flows.split(',').map((one) => written(one.trim())) }),
      ...(has('repetitions') && { repetitions: written(draft.repetitions) }),
      ...(has('seed') && { seed: written(draft.seed) }),
      ...rest,
      live: Object.keys(live).length > 0 ? live : undefined,
    }),
  );
}

function linkOf(links: readonly string[], replayed: TomlValue | undefined): TomlTable {
  if (links.length === 0 && replayed !== undefined) return { link: replayed };
  return links.length === 1 ? { link: links[0] } : { links: [...links] };
}

/** The claims, with those that `each` writes together as a table of their own each. */
export function claimsOf(claims: TomlValue | undefined): readonly TomlTable[] {
  return tables(claims).flatMap((claim) => {
    const { each, ...shared } = claim;
    const rows = tables(each);
    return rows.length === 0 ? [claim] : rows.map((row) => ({ ...shared, ...row }));
  });
}

function tables(value: TomlValue | undefined): readonly TomlTable[] {
  return Array.isArray(value) ? value.filter((one): one is TomlTable => isRecord(one)) : [];
}

function defined(table: Readonly<Record<string, TomlValue | undefined>>): TomlTable {
  const given = Object.entries(table).filter((entry): entry is [string, TomlValue] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

function number(value: TomlValue | undefined, otherwise: string): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : otherwise;
}

/** A whole number as one; what is none stays text, so that the engine says what is wrong with it. */
function written(text: string): TomlValue {
  if (!/^\d+$/.test(text)) return text;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  // What is above TOML's numbers, as a seed may be, stays text as well.
  return BigInt(text) > MOST_AS_NUMBER ? text : BigInt(text);
}
