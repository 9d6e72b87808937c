import type { Resolved } from '../../parts/use-resolved';

/** A variant of a batch, on one of its links or on all. */
export interface Side {
  readonly batch: number;
  readonly variant: string;
  readonly link: string | null;
}

/** What an address says of one side; whatever it does not say is `null`. */
export interface Asked {
  readonly batch: number | null;
  readonly variant: string | null;
  readonly link: string | null;
}

/** The parameters of the address: `a`, `va`, `la` are the baseline's batch, variant and link, `b`, `vb`, `lb` the candidate's. */
export const KEYS = {
  a: { batch: 'a', variant: 'va', link: 'la' },
  b: { batch: 'b', variant: 'vb', link: 'lb' },
} as const;

/** The number of a batch, of up to nine digits, that an address or a field names; `null` if it is none. */
export function batchIn(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** What an address says of a side. */
export function askedIn(params: URLSearchParams, which: keyof typeof KEYS): Asked {
  const keys = KEYS[which];
  return {
    batch: batchIn(params.get(keys.batch) ?? ''),
    variant: params.get(keys.variant),
    link: params.get(keys.link),
  };
}

/**
 * Both sides with what the address leaves out: the first variant that both have, and all links that both have; the first
 * of each where they have none in common. `null` where they have no variant to compare.
 */
export function sidesOf(
  a: Asked & { readonly batch: number },
  b: Asked & { readonly batch: number },
  first: Resolved,
  second: Resolved,
): readonly [Side, Side] | null {
  const names = (of: Resolved, key: 'variants' | 'links') => of[key].map(({ name }) => name);
  const asked = (name: string | null, known: readonly string[]) =>
    name !== null && known.includes(name) ? name : null;
  const left = names(first, 'variants');
  const right = names(second, 'variants');
  const baseline = asked(a.variant, left) ?? left.find((name) => right.includes(name)) ?? left.at(0);
  const same = right.find((name) => name === baseline && (a.batch !== b.batch || name !== a.variant));
  const candidate = asked(b.variant, right) ?? same ?? right.find((name) => name !== baseline) ?? right.at(0);
  if (baseline === undefined || candidate === undefined) return null;
  const links = [names(first, 'links'), names(second, 'links')] as const;
  const chosen = [asked(a.link, links[0]), asked(b.link, links[1])] as const;
  const common = links[0].some((name) => links[1].includes(name));
  // Where they have links in common, one that is named for one side is meant for the other, too.
  const settled = (side: 0 | 1) =>
    chosen[side] ?? (common ? asked(chosen[1 - side], links[side]) : (links[side].at(0) ?? null));
  return [
    { batch: a.batch, variant: baseline, link: settled(0) },
    { batch: b.batch, variant: candidate, link: settled(1) },
  ];
}
