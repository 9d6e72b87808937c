/** Shapes that are told apart at a few pixels. */
export type Mark = 'circle' | 'square' | 'triangle' | 'diamond';

/** The corners of a shape about as large as a circle of radius 1: x y each. */
export const CORNERS: Readonly<Record<Exclude<Mark, 'circle'>, readonly (readonly [number, number])[]>> = {
  square: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  triangle: [
    [0, -1.25],
    [1.15, 0.8],
    [-1.15, 0.8],
  ],
  diamond: [
    [0, -1.3],
    [1.3, 0],
    [0, 1.3],
    [-1.3, 0],
  ],
};
