/** What a run's page needs of a resolved experiment: names of things, and the limit that may have ended it. The API hands it over as the engine wrote it. */
export interface Resolved {
  readonly variants?: readonly { readonly name: string; readonly title?: string }[];
  readonly links?: readonly { readonly name: string; readonly title?: string }[];
  /** Of a simulated run, in its own time. */
  readonly time_limit_s?: number;
}

/** What a variant is called. */
export function variantTitle(resolved: Resolved | undefined, name: string): string {
  return resolved?.variants?.find((one) => one.name === name)?.title ?? name;
}

/** What a link is called. */
export function linkTitle(resolved: Resolved | undefined, name: string): string {
  return resolved?.links?.find((one) => one.name === name)?.title ?? name;
}

/** Where a run was made. */
export function testbedTitle(testbed: string): string {
  return testbed === 'sim' ? 'simulated' : `live (${testbed})`;
}
