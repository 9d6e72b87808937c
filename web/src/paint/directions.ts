import type { Palette } from './palette';

/** How the lines of the two directions look in every plot that has both: colour, and dashes for those who see no colours. */
export const DIRECTION_LINES = {
  down: { color: 'down', dash: [] },
  up: { color: 'up', dash: [5, 3] },
} as const satisfies Record<
  'down' | 'up',
  { readonly color: keyof Palette; readonly dash: readonly number[] }
>;
