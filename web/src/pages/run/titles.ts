/** What of a resolved experiment gives names to things. The API hands it over as the engine wrote it. */
export interface Resolved {
  readonly variants?: readonly { readonly name: string; readonly title?: string }[];
  readonly links?: readonly { readonly name: string; readonly title?: string }[];
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
