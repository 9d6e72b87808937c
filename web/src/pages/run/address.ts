import { FILTERS, type Filter } from './marks';

/** What the address of a run says beside the view of its diagram. */
export interface RunAddress {
  /** The number of the episode that is told. */
  readonly episode: number | null;
  readonly filter: Filter;
}

export function addressOf(params: URLSearchParams): RunAddress {
  const episode = Number(params.get('episode'));
  return {
    episode: Number.isInteger(episode) && episode > 0 ? episode : null,
    filter: FILTERS.find((filter) => filter === params.get('show')) ?? 'all',
  };
}
