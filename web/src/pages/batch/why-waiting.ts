import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { isLive } from '../../ui/testbeds';

type Queue = Schema<'QueueView'>;

/** What the waiting runs of a batch wait for, in a sentence; `stuck` if waiting alone will not help. */
export function whyWaiting(
  batch: Pick<Schema<'BatchView'>, 'testbed' | 'runs' | 'engine'>,
  queue: Queue,
): { readonly why: string; readonly stuck: boolean } {
  const { state, why } = queue.scheduler;
  if (state === 'absent')
    return {
      why: 'No scheduler has reported for a while, so nothing will run. Check that all processes of “windlull serve” are running.',
      stuck: true,
    };
  if (state === 'paused')
    return { why: `The queue has stopped: ${why ?? 'no reason was given'}.`, stuck: true };
  const able = queue.workers.filter((worker) => worker.testbeds.includes(batch.testbed));
  const first = able.at(0);
  if (first === undefined) {
    const live = batch.testbed === 'sim' ? '' : ' The page “Testbeds” says what this machine lacks.';
    return { why: `No worker takes runs of the testbed ${batch.testbed}.${live}`, stuck: true };
  }
  const refused = able.filter((worker) => worker.refused !== null);
  if (refused.length === able.length)
    return { why: `No worker is given runs: ${first.refused ?? ''}.`, stuck: true };
  const lacks = queue.testbeds.find(({ testbed }) => testbed === batch.testbed)?.missing ?? null;
  if (lacks !== null)
    return {
      why: `Runs of the testbed ${batch.testbed} wait: ${lacks}. They start when this is resolved.`,
      stuck: true,
    };
  const busy = busyHosts(able, queue.workers, batch.testbed);
  if (busy !== null)
    return {
      why: !isLive(batch.testbed)
        ? `A run of ${busy} is under way and needs the machine to itself.`
        : `The machine is busy with runs of ${busy}; a live run starts when it is idle.`,
      stuck: false,
    };
  const mine = batch.runs['queued'] ?? 0;
  const others = (queue.testbeds.find(({ testbed }) => testbed === batch.testbed)?.queued ?? 0) - mine;
  const working = plural(able.length - refused.length, 'worker');
  const beside =
    others > 0
      ? ` ${plural(others, 'run')} of other batches ${others === 1 ? 'waits' : 'wait'} as well; higher priority goes first, then the older batch.`
      : '';
  const one = isLive(batch.testbed)
    ? ' Live runs take place one at a time, on an otherwise idle machine.'
    : '';
  return { why: `${working} at work.${one}${beside}`, stuck: false };
}

/**
 * What all hosts of these workers are busy with that keeps them from a run of this testbed: a run in real time has its
 * host to itself. Null if one of them is free for it, or busy with runs of the same testbed.
 */
function busyHosts(
  able: readonly Schema<'WorkerStatus'>[],
  all: readonly Schema<'WorkerStatus'>[],
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
