import { overviewAddress } from './address';

/** What was asked for before the page that reads it was there, by address; `null` where it was not worth asking. */
const asked = new Map<string, Promise<Response | null>>();

/**
 * Asks for what the page of a run will read first: the run, and if it has ended its overview. To be called as soon as
 * there is any script, so that the service works while the browser is still loading the page. What goes wrong is
 * forgotten: the page asks again, and tells.
 */
export function askEarly(path: string, fetch: typeof globalThis.fetch): void {
  const run = /^\/runs\/([1-9]\d{0,15})$/.exec(path)?.[1];
  if (run === undefined) return;
  const overview = overviewAddress(Number(run));
  asked.set(
    overview,
    ended(`/api/v1/runs/${run}`, fetch)
      .then((yes) => (yes ? fetch(overview) : null))
      .catch(() => null),
  );
}

/** The answer that was asked for early, if it was; each is given once. */
export async function takeEarly(address: string): Promise<Response | null> {
  const answer = asked.get(address) ?? null;
  asked.delete(address);
  return answer;
}

/** Whether a run has ended and has its files. */
async function ended(address: string, fetch: typeof globalThis.fetch): Promise<boolean> {
  const told = await fetch(address);
  if (!told.ok) return false;
  const { result } = (await told.json()) as {
    readonly result: { readonly evicted_at?: string | null } | null;
  };
  return result !== null && typeof result.evicted_at !== 'string';
}
