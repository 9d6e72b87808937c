import type { Seeded } from './seed';

export interface Address {
  /** What it is called in tests and in the names of screenshots. */
  readonly name: string;
  readonly path: string;
}

/** An address of every page, and of every state of one that looks different, on what is in the service. */
export function addresses({ batch, run, partner, failed, cancelled, own }: Seeded): readonly Address[] {
  const list: readonly (readonly [string, string])[] = [
    ['home', '/'],
    ['welcome', '/welcome'],
    ['session', '/session'],
    ['runs', '/batches'],
    ['batch', `/batches/${batch}`],
    ['batch-runs', `/batches/${batch}?tab=runs`],
    ['batch-as-run', `/batches/${batch}?tab=experiment`],
    ['batch-failed', `/batches/${failed.batch}`],
    ['batch-cancelled', `/batches/${cancelled.batch}`],
    ['compare', `/batches/${batch}/compare?v=sack&v=frto%2Bsack`],
    ['compare-part', `/batches/${batch}/compare?v=sack&v=frto%2Bsack&part=frto%2Bsack`],
    ['difference', `/differences?a=${run}&b=${partner}`],
    ['difference-new', '/differences'],
    ['two-batches', `/comparisons?a=${batch}&b=${failed.batch}`],
    ['trend', '/trends?experiment=late'],
    ['trends', '/trends'],
    ['run', `/runs/${run}`],
    ['run-episode', `/runs/${run}?episode=2&t=4_20`],
    ['run-failed', `/runs/${failed.run}`],
    ['run-cancelled', `/runs/${cancelled.run}`],
    ['experiments', '/experiments'],
    ['experiment', `/experiments/view/${own.experiment}`],
    ['experiment-shipped', '/experiments/view/papers/sarolahti2003/table-1'],
    ['new-experiment', '/experiments/new'],
    ['new-experiment-from', `/experiments/new?from=${own.experiment}`],
    ['new-experiment-replay', `/experiments/new?replay=${run}&by=time`],
    ['new-experiment-extends', '/experiments/new?from=papers%2Fsarolahti2003%2Ftable-1'],
    ['links', '/profiles/links'],
    ['variants', '/profiles/variants'],
    ['workloads', '/profiles/workloads'],
    ['link', `/profiles/links/view/${own.link}`],
    ['link-shipped', '/profiles/links/view/gprs'],
    ['variant', '/profiles/variants/view/frto+sack'],
    ['workload', '/profiles/workloads/view/bulk-100-kib-down'],
    ['link-new', '/profiles/links/new?from=gprs'],
    ['link-edit', `/profiles/links/edit/${own.link}`],
    ['link-history', `/profiles/links/history/${own.link}`],
    ['links-deleted', '/profiles/links?origin=deleted'],
    ['no-history', '/experiments/history/99999'],
    ['link-import', '/profiles/links/import'],
    ['link-import-trace', '/profiles/links/import?of=trace'],
    ['searches', '/searches'],
    ['no-search', '/searches/99999'],
    ['schedules', '/schedules'],
    ['no-schedule', '/schedules/99999'],
    ['papers', '/papers'],
    ['paper', '/papers/sarolahti2003'],
    ['live-link', '/live-link'],
    ['captures', '/captures'],
    ['testbeds', '/testbeds'],
    ['nowhere', '/nowhere'],
    ['no-run', '/runs/99999'],
    ['no-batch', '/batches/99999'],
  ];
  return list.map(([name, path]) => ({ name, path }));
}
