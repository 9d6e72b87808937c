import { describe, expect, it } from 'vitest';

import { Coords } from './coords';
import { lineRects, stepAreaRects, stepRects } from './step-path';

type Rect = [number, number, number, number];

function coordsOf(...points: readonly (readonly [number, number])[]): Coords {
  const coords = new Coords();
  for (const [x, y] of points) coords.push2(x, y);
  return coords;
}

function collect(draw: (emit: (...rect: Rect) => void) => void): Rect[] {
  const rects: Rect[] = [];
  draw((...rect) => rects.push(rect));
  return rects;
}

describe('a step line', () => {
  it('holds each height until the next point', () => {
    const rects = collect((emit) => {
      stepRects(coordsOf([0, 10], [20, 4], [50, 4]), 2, null, emit);
    });
    expect(rects).toEqual([
      [-1, 9, 22, 2],
      [19, 3, 2, 8],
      [19, 3, 32, 2],
    ]);
  });

  it('is one rectangle for all that stands on one pixel', () => {
    const column = [5, 1, 9, 6].map((y) => [10, y] as const);
    const rects = collect((emit) => {
      stepRects(coordsOf([0, 5], ...column, [30, 6]), 1, null, emit);
    });
    expect(rects.filter(([, , w]) => w === 1)).toEqual([[9.5, 0.5, 1, 9]]);
  });

  it('has no more rectangles than pixels where it is dense', () => {
    const noise = Array.from({ length: 1000 }, (_, i) => [Math.floor(i / 10), (i * 7919) % 50] as const);
    const rects = collect((emit) => {
      stepRects(coordsOf(...noise), 1, null, emit);
    });
    expect(rects.length).toBeLessThanOrEqual(101);
  });

  it('is broken on level pieces', () => {
    const rects = collect((emit) => {
      stepRects(coordsOf([0, 5], [10, 5]), 1, [3, 2], emit);
    });
    expect(rects.map(([x, , w]) => [x, w])).toEqual([
      [0, 3],
      [5, 3],
    ]);
  });
});

describe('the area below a step line', () => {
  it('has no gaps and no overlaps', () => {
    const rects = collect((emit) => {
      stepAreaRects(coordsOf([0.3, 5], [4.6, 2], [9.2, 2]), 10, 1, emit);
    });
    expect(rects).toEqual([
      [0, 5, 5, 5],
      [5, 2, 4, 8],
    ]);
  });
});

describe('a level or upright line', () => {
  it('is one rectangle, or one for each dash', () => {
    expect(
      collect((emit) => {
        lineRects([4, 9, 4, 1], 2, null, emit);
      }),
    ).toEqual([[3, 1, 2, 8]]);
    expect(
      collect((emit) => {
        lineRects([0, 4, 10, 4], 2, [4, 4], emit);
      }),
    ).toEqual([
      [0, 3, 4, 2],
      [8, 3, 2, 2],
    ]);
  });
});
