/** What of a resolved experiment gives names to things. The API hands it over as the engine wrote it. */
export interface Resolved {
  readonly variants?: readonly { readonly name: string; readonly title?: string; readonly stack?: string }[];
  readonly links?: readonly { readonly name: string; readonly title?: string }[];
}

/** What things are called. */
export interface Titles {
  readonly variant: (name: string) => string;
  readonly link: (name: string) => string;
  readonly testbed: (name: string) => string;
  /** Whether the kernel's TCP plays the variant: it does not tell what its detector says. */
  readonly isKernel: (variant: string) => boolean;
}

/** The titles that an experiment gives; the names until it is known. */
export function titlesOf(resolved: Resolved | undefined): Titles {
  const variant = (name: string) => resolved?.variants?.find((one) => one.name === name);
  return {
    variant: (name) => variant(name)?.title ?? name,
    link: (name) => resolved?.links?.find((one) => one.name === name)?.title ?? name,
    testbed: (name) => (name === 'sim' ? 'simulated' : `live (${name})`),
    isKernel: (name) => variant(name)?.stack === 'linux',
  };
}
