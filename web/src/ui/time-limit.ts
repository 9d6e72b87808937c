import type { Schema } from '../api/client';

type Ended = Pick<Schema<'RunLine'>, 'reason' | 'testbed'>;

/** What the engine says of a run that its time limit ended. */
const AT_THE_LIMIT = 'at the time limit';

/** Whether trying again ends the same: a simulated run comes to its time limit each time. */
export function endsTheSame({ reason, testbed }: Ended): boolean {
  return testbed === 'sim' && reason?.includes(AT_THE_LIMIT) === true;
}

/** Why a run ended so, with the limit of simulated ones where it is known: `still under way at the time limit (5 s)`. */
export function withLimit(run: Ended, limitS: number | null): string | null {
  if (limitS === null || !endsTheSame(run)) return run.reason;
  return run.reason?.replace(AT_THE_LIMIT, `${AT_THE_LIMIT} (${limitS} s)`) ?? null;
}
