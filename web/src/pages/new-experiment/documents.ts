import { nameProblem } from '../../lib/document-name';
import { freeName } from '../../lib/free-name';
import { extendingLink } from '../../link/document';
import { MOST_REPETITIONS } from '../../lib/run-options';
import { seedProblem } from '../../lib/seed';
import { hasKernel } from '../../ui/testbeds';
import { toText, type Draft } from './draft';
import { setInWords, workloadText, type FlowSet } from './flows';
import { drawnInWords, drawnLinkName, linkPart, slug } from './names';
import type { Replay, Replayed } from './replay';

/** What is there already: names and titles. */
export interface Existing {
  readonly links: ReadonlyMap<string, string>;
  readonly variants: ReadonlyMap<string, string>;
  readonly workloads: ReadonlyMap<string, string>;
  readonly experiments: ReadonlyMap<string, string>;
}

/** A document that is to be saved. */
export interface NewDocument {
  readonly name: string;
  readonly toml: string;
}

/** What the draft comes to: the documents to save, in this order. */
export interface Outcome {
  readonly title: string;
  readonly link: NewDocument | null;
  readonly workload: NewDocument | null;
  readonly experiment: NewDocument;
  /** What it replays, and the name of the link that does, be it new or there already. */
  readonly replay?: Replay & { readonly name: string };
}

/** The parts of the form, in its order. */
export type Field =
  'link' | 'linkName' | 'variants' | 'workload' | 'workloadName' | 'repetitions' | 'seed' | 'title' | 'name';
export type FieldErrors = Partial<Record<Field, string>>;

/** The fields of what is saved under a name. */
const NAMES = [
  ['experiment', 'name'],
  ['link', 'linkName'],
  ['workload', 'workloadName'],
] as const;

/** Settles everything that the draft leaves open. `replayed` is what it replays, once that is known. */
export function documentsOf(draft: Draft, existing: Existing, replayed: Replayed | null = null): Outcome {
  const [base] = draft.links;
  const drawn = draft.links.length === 1 && draft.events.length > 0;
  const replay = draft.replay && replayed ? replayedLink(draft, existing, replayed) : null;
  const link = replay ? replay.link : drawn ? drawnLink(draft, base, existing) : null;
  const workload = ownWorkload(draft, existing);
  const title = draft.title ?? suggestedTitle(draft, existing);
  const links = replay ? [replay.name] : link ? [link.name] : draft.links;
  const settled = { title, links, workload: workload?.name ?? draft.workload };
  const toml = draft.text ?? toText(draft, settled);
  const taken = without(existing.experiments, draft.made.experiment?.name);
  const name = draft.name ?? freeName(suggestedName(draft, link?.name ?? base), taken);
  return {
    ...{ title, link, workload, experiment: { name, toml } },
    ...(draft.replay && replay && { replay: { ...draft.replay, name: replay.name } }),
  };
}

/** What is wrong before the engine is asked. Some of it only matters once someone wants to save: `missing`. */
export function check(
  draft: Draft,
  outcome: Outcome,
  existing: Existing,
): { readonly wrong: FieldErrors; readonly missing: FieldErrors } {
  const wrong: FieldErrors = {};
  const missing: FieldErrors = {};
  // What extends a base may give what that does not.
  const whole = draft.rest['base'] !== true;
  if (draft.text === null) {
    if (whole && draft.links.length === 0 && draft.replay === null && !('link' in draft.rest))
      missing.link = 'Choose a link.';
    if (draft.commands) {
      if (whole && draft.live.length === 0)
        missing.variants = 'Choose a kernel variant: commands use the kernel’s TCP.';
      if (draft.variants.length > 0) wrong.variants = 'Commands use the kernel’s TCP: choose none of ours.';
    } else if (whole && draft.variants.length === 0)
      missing.variants =
        draft.live.length === 0
          ? 'Choose at least one variant; two or more to compare.'
          : 'Choose one of ours, too: the kernel’s run only beside ours.';
    if (!isWhole(draft.repetitions, 1, MOST_REPETITIONS))
      wrong.repetitions = 'A whole number from 1 to 100,000.';
    const seed = seedProblem(draft.seed);
    if (seed !== null) wrong.seed = seed;
    if (draft.title?.trim() === '') wrong.title = 'Required: a title in one line.';
  }
  if (draft.commands && !hasKernel(draft.testbed))
    wrong.workload =
      'Commands run on live testbeds: choose compose, with containers of your own, under Runs.';
  for (const [kind, field] of NAMES) {
    const made = outcome[kind];
    if (made === null) continue;
    const taken = without(existing[`${kind}s`], draft.made[kind]?.name);
    const problem =
      nameProblem(made.name) ??
      (taken.has(made.name) ? `There is a ${kind} called ${made.name} already; choose another name.` : null);
    if (problem !== null) wrong[field] = problem;
  }
  return { wrong, missing };
}

function drawnLink(draft: Draft, base: string, existing: Existing): NewDocument {
  const { events, made } = draft;
  const taken = without(existing.links, made.link?.name);
  // A name that was suggested and saved stays, whatever is drawn after.
  const name = draft.linkName ?? made.link?.name ?? freeName(drawnLinkName(base, events), taken);
  const title = `${existing.links.get(base) ?? base}, with a ${drawnInWords(events)}`;
  return { name, toml: extendingLink({ title, base, events }) };
}

/** The link that plays what a run met: one that was saved before serves again, as runs do not change. */
function replayedLink(draft: Draft, existing: Existing, { name: usual, title, toml }: Replayed) {
  const { linkName, made } = draft;
  if (linkName === null && made.link === undefined && existing.links.get(usual) === title)
    return { name: usual, link: null };
  const taken = without(existing.links, made.link?.name);
  const name = linkName ?? made.link?.name ?? freeName(usual, taken);
  return { name, link: { name, toml } };
}

function ownWorkload({ ownWorkload: own, made, inherits }: Draft, existing: Existing): NewDocument | null {
  if (own === null || inherits.includes('workload')) return null;
  const taken = without(existing.workloads, made.workload?.name);
  const name = own.name ?? made.workload?.name ?? freeName(workloadName(own.sets), taken);
  return { name, toml: workloadText(own.title ?? workloadTitle(own.sets), own) };
}

/** What sets are, in a line: `3 flows of 1 MB down, and 64 kbit/s of packets down`. */
export function workloadTitle(sets: readonly FlowSet[]): string {
  const [first, ...others] = sets.map(setInWords);
  const more = others.length > MOST_SETS_NAMED ? [`${others.length} more sets`] : others;
  return more.length === 0 ? first : `${first}, beside ${inWords(more)}`;
}

const MOST_SETS_NAMED = 2;

/** What a workload of such sets could be called: `bulk-100-kib-down`, `3-bulk-1-mb-down-and-1-more`. */
function workloadName([first, ...others]: readonly FlowSet[]): string {
  const { kind, direction, said } = first;
  const flows = said.flows === undefined || said.flows.trim() === '1' ? [] : [slug(said.flows)];
  const what = slug(said.duration ?? said.size ?? '');
  const more = others.length === 0 ? [] : [`and-${others.length}-more`];
  return [...flows, kind, what, direction, ...more].filter((part) => part !== '').join('-');
}

/** How many variants a title names one by one. */
const MOST_NAMED = 4;

function suggestedTitle(draft: Draft, existing: Existing): string {
  const variants = [...draft.variants, ...draft.live];
  const titles = variants.map((name) => existing.variants.get(name) ?? name);
  const who =
    variants.length === 0
      ? 'New experiment'
      : variants.length > MOST_NAMED
        ? `${variants.length} variants`
        : inWords(titles);
  const where = draft.replay
    ? ` on what the packets of run ${draft.replay.run} met`
    : draft.links.length === 0
      ? ''
      : ` on ${inWords(draft.links.slice(0, MOST_NAMED))}`;
  const what =
    draft.links.length === 1 && draft.events.length > 0 ? ` with a ${drawnInWords(draft.events)}` : '';
  return `${who}${where}${what}`;
}

function suggestedName(draft: Draft, link: string | undefined): string {
  const { links, made, copyOf, extends: base, replay } = draft;
  if (made.experiment) return made.experiment.name;
  if (replay !== null) return `replay-of-run-${replay.run}`;
  if (copyOf !== null) return `${copyOf.split('/').at(-1) ?? copyOf}-copy`;
  if (base !== null) return `${base.split('/').at(-1) ?? base}-changed`;
  return links.length > 1
    ? `${linkPart(links[0])}-and-others`
    : `try-${link === undefined ? 'something' : linkPart(link)}`;
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

function without(names: ReadonlyMap<string, string>, name: string | undefined): ReadonlySet<string> {
  const set = new Set(names.keys());
  if (name !== undefined) set.delete(name);
  return set;
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;
}
