import type { Service } from './service';

/** What stands in a service from the beginning, so that every page has something to show. */
export interface Seeded {
  readonly url: string;
  /** A batch of three variants on GPRS with a delay of 3 s, done; all of its runs have spurious timeouts. */
  readonly batch: number;
  /** A run of it, of the variant `sack`. */
  readonly run: number;
  /** The same repetition of `frto+sack`. */
  readonly partner: number;
  /** A batch whose one run failed, and the run. */
  readonly failed: { readonly batch: number; readonly run: number };
  /** A batch that was cancelled, and a run of it. */
  readonly cancelled: { readonly batch: number; readonly run: number };
  /** Documents of the user's own. */
  readonly own: { readonly link: string; readonly experiment: string };
}

export const LINK = `title   = "GPRS with a delay of 3 s"
extends = "gprs"

[[script]]
at  = "8 s"
for = "3 s"
do  = "hold"
`;

export const EXPERIMENT = `title       = "A delay of 3 s on GPRS"
link        = "late"
variants    = ["newreno", "sack", "frto+sack"]
workload    = "bulk-100-kib-down"
repetitions = 5
seed        = 1
`;

/** 100 KiB take half a minute on this link. */
export const CANNOT_END = `title       = "Too much for its time limit"
link        = "late"
variants    = ["sack"]
workload    = "bulk-100-kib-down"
repetitions = 1
seed        = 1
time_limit  = "5 s"
`;

/** Far more than can be done while it is being cancelled. */
export const ENDLESS = { experiment: 'bench/s3-sack', repetitions: 40, captures: false } as const;

/** Fills a service that is new. */
export async function seed(service: Service): Promise<Seeded> {
  await service.write('links', 'late', LINK);
  await service.write('experiments', 'late', EXPERIMENT);
  await service.write('experiments', 'cannot-end', CANNOT_END);
  const batch = await service.submit({ experiment: 'late' });
  const failed = await service.submit({ experiment: 'cannot-end' });
  const runs = await service.ended(batch);
  const run = runs.find(({ variant, state }) => variant === 'sack' && state === 'done');
  if (!run) throw new Error(`no run of sack is done: ${JSON.stringify(runs)}`);
  const partner = runs.find(
    ({ variant, repetition, state }) =>
      variant === 'frto+sack' && repetition === run.repetition && state === 'done',
  );
  if (!partner) throw new Error(`no such run of frto+sack is done: ${JSON.stringify(runs)}`);
  const failedRun = (await service.ended(failed)).at(0);
  const cancelled = await service.submit(ENDLESS);
  await service.api.POST('/api/v1/batches/{id}/cancel', { params: { path: { id: cancelled } } });
  const cancelledRun = (await service.ended(cancelled)).find(({ state }) => state === 'cancelled');
  if (failedRun?.state !== 'failed' || !cancelledRun) throw new Error('a run ended as it should not');
  return {
    url: service.url,
    batch,
    run: run.id,
    partner: partner.id,
    failed: { batch: failed, run: failedRun.id },
    cancelled: { batch: cancelled, run: cancelledRun.id },
    own: { link: 'late', experiment: 'late' },
  };
}
