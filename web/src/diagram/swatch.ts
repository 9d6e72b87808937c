/** The size of a legend's key, CSS pixels. */
export const SWATCH_WIDTH = 20;
export const SWATCH_HEIGHT = 14;
