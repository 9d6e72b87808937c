import type { Schema } from '../../api/client';
import type { DocumentView } from '../../api/documents';

/** What somebody wants searched; a number may be wrong yet. */
export interface Wanted {
  readonly experiment: string | null;
  readonly variant: string | null;
  readonly against: string | null;
  readonly link: string | null;
  readonly worst: string;
  readonly budget: number | string;
  readonly space: string;
  readonly failIf: string;
}

export const START: Wanted = {
  experiment: null,
  variant: null,
  against: null,
  link: null,
  worst: 'elapsed_s',
  budget: 200,
  space: '',
  failIf: '',
};

/** What an experiment gives to choose from. */
export interface Choices {
  readonly variants: readonly string[];
  readonly links: readonly string[];
}

const MOST_LINKS = 100_000;

/** The simulated variants and the links of an experiment; none before it is known. */
export function choicesOf(resolved: DocumentView['resolved'] | undefined): Choices {
  if (!resolved || !('variants' in resolved)) return { variants: [], links: [] };
  return {
    variants: resolved.variants.map(({ name }) => name),
    links: resolved.links.map(({ name }) => name),
  };
}

/** What is still to be said, in a sentence; null if nothing is. */
export function whatIsMissing(wanted: Wanted, { variants, links }: Choices): string | null {
  const { budget } = wanted;
  if (wanted.experiment === null) return 'Choose an experiment.';
  if (variants.length > 1 && wanted.variant === null) return 'Choose the variant that is to be worst.';
  if (links.length > 1 && wanted.link === null) return 'Choose the link that is varied.';
  if (typeof budget !== 'number' || !Number.isInteger(budget) || budget < 1 || budget > MOST_LINKS)
    return 'Enter how many links are tried: a whole number from 1 to 100,000.';
  return null;
}

/** What the controller is asked; null while something is missing. */
export function givenOf(wanted: Wanted, choices: Choices): Schema<'SearchGiven'> | null {
  const { experiment, variant, against, link, worst, budget, space, failIf } = wanted;
  if (experiment === null || typeof budget !== 'number' || whatIsMissing(wanted, choices) !== null)
    return null;
  return {
    experiment,
    worst,
    budget,
    kinds: 5,
    shrink: 400,
    confirm: 20,
    ...(variant !== null && { variant }),
    ...(against !== null && { against }),
    ...(link !== null && { link }),
    ...(space.trim() !== '' && { space }),
    ...(failIf.trim() !== '' && { fail_if: failIf.trim() }),
  };
}
