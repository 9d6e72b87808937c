import type { TomlTable } from 'smol-toml';

import type { Schema } from '../../api/client';
import { type ReplayBy, replayWay } from '../../lib/replay';
import { EMPTY, type Draft, type Inheritable, withText } from './draft';

/** Of which run an experiment plays what its packets met, and by what a packet finds its own. */
export interface Replay {
  readonly run: number;
  readonly by: ReplayBy;
}

/** What the controller says of a replay: the link that plays it, and what the run was of. */
export type Replayed = Schema<'ReplayView'>;

/** Keys of the run's experiment that are about its links, about what it claims, or about where it is from. */
const LEFT_OUT = [
  'link', 'access', 'workloads', 'claim', 'published', 'figure', 'figures', 'stand_in', 'assumptions', 'description',
  'source',
] as const; // prettier-ignore

/** What has a value of its own in a replay, also where the run's experiment inherits it. */
const OWN: readonly Inheritable[] = ['link', 'flows', 'repetitions', 'seed'];

/** The replay that an address asks for; null if it asks for none. */
export function replayIn(params: URLSearchParams): Replay | null {
  const run = Number(params.get('replay') ?? '');
  if (!Number.isSafeInteger(run) || run < 1) return null;
  return { run, by: replayWay(params.get('by'))?.by ?? 'packet' };
}

/**
 * The draft of an experiment over what the packets of a run met: with the variants, the workload and the settings of the
 * experiment that the run was of. Nothing is random on such a link, so that one repetition tells all.
 */
export function replaying({ run, by, experiment, workload, testbed, seed }: Replayed): Draft {
  const read = withText(EMPTY, experiment);
  // What came from elsewhere may have no text, or one that this page cannot read: its workload is known all the same.
  const base = 'wrong' in read || experiment.trim() === '' ? { ...EMPTY, workload } : read;
  return {
    ...base,
    title: null,
    replay: { run, by },
    inherits: base.inherits.filter((key) => !OWN.includes(key)),
    links: [],
    ...('workloads' in base.rest && { workload }),
    flows: '',
    repetitions: '1',
    seed,
    rest: without(base.rest),
    // Recordings of live runs are played to simulated variants unless somebody wants otherwise.
    testbed: testbed === 'kernel' ? 'kernel' : 'sim',
  };
}

function without(rest: TomlTable): TomlTable {
  const left = LEFT_OUT as readonly string[];
  return Object.fromEntries(Object.entries(rest).filter(([key]) => !left.includes(key)));
}
