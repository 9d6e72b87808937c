import { useComputedColorScheme } from '@mantine/core';

import { DARK, LIGHT, type Palette } from './palette';

/** The colours of drawings in the page's scheme. */
export function usePalette(): Palette {
  return useComputedColorScheme('light') === 'dark' ? DARK : LIGHT;
}
