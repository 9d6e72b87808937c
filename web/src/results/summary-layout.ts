import type { ReactNode } from 'react';

import type { Results } from './model';

/** What a layout of the summary shows. */
export interface LayoutProps {
  readonly results: Results;
  readonly metrics: readonly string[];
  /** The metric that sorts the rows. */
  readonly sort: string | null;
}

/** What the head of its columns needs besides. */
export interface HeadProps extends Omit<LayoutProps, 'sort'> {
  readonly sortOf: (metric: string) => 'ascending' | undefined;
  readonly head: (metric: string) => ReactNode;
}
