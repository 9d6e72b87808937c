import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { isLive } from '../../ui/testbeds';

type Queue = Schema<'QueueTold'>;

/** What the waiting runs of a batch wait for, in a sentence; `stuck` if waiting alone will not help. */
export function whyWaiting(
  batch: Pick<Schema<'BatchTold'>, 'testbed' | 'runs' | 'engine'>,
  queue: Queue,
): { readonly why: string; readonly stuck: boolean } {
  const { state, why } = queue.scheduler;
  if (state === 'absent')
    return {
      why: 'No scheduler has been heard of for a while, so nothing will run. Is “windlull serve” whole?',
      stuck: true,
    };
  if (state === 'paused')
    return { why: `The queue stands still: ${why ?? 'no reason was given'}.`, stuck: true };
  const able = queue.workers.filter((worker) => worker.testbeds.includes(batch.testbed));
  const first = able.at(0);
  if (first === undefined) {
    const live = batch.testbed === 'sim' ? '' : ' The page of testbeds says what this machine lacks.';
    return { why: `No worker takes runs of the testbed ${batch.testbed}.${live}`, stuck: true };
  }
  const refused = able.filter((worker) => worker.refused !== null);
  if (refused.length === able.length)
    return { why: `No worker is given anything: ${first.refused ?? ''}.`, stuck: true };
  const lacks = queue.testbeds.find(({ testbed }) => testbed === batch.testbed)?.missing ?? null;
  if (lacks !== null)
    return {
      why: `Runs of the testbed ${batch.testbed} wait: ${lacks}. They begin when it is there.`,
      stuck: true,
    };
  const busy = busyHosts(able, queue.workers, batch.testbed);
  if (busy !== null)
    return {
      why: !isLive(batch.testbed)
        ? `A run of ${busy} is under way, which wants the machine for itself.`
        : `The machine makes runs of ${busy} now; a live run begins when it does nothing else.`,
      stuck: false,
    };
  const mine = batch.runs['queued'] ?? 0;
  const others = (queue.testbeds.find(({ testbed }) => testbed === batch.testbed)?.queued ?? 0) - mine;
  const working = plural(able.length - refused.length, 'worker');
  const beside =
    others > 0
      ? ` ${plural(others, 'run')} of other batches ${others === 1 ? 'waits' : 'wait'} as well; higher priority goes first, then the older.`
      : '';
  const one = isLive(batch.testbed)
    ? ' Live runs are made one at a time, on a machine that does nothing else.'
    : '';
  return { why: `${working} at work.${one}${beside}`, stuck: false };
}

/**
 * What all hosts of these workers are busy with that keeps them from a run of this testbed: a run in real time has its
 * host to itself. Null if one of them is free for it, or busy with runs of the same testbed.
 */
function busyHosts(
  able: readonly Schema<'WorkerTold'>[],
  all: readonly Schema<'WorkerTold'>[],
  testbed: string,
): string | null {
  const inTheWay = able
    .filter((worker) => worker.refused === null)
    .map(({ host }) =>
      all.find(
        ({ host: its, busy_with: busy }) =>
          its === host && busy !== null && busy !== testbed && (isLive(testbed) || isLive(busy)),
      ),
    );
  return inTheWay.every((found) => found !== undefined) ? (inTheWay[0]?.busy_with ?? null) : null;
}
