import { describe, expect, it } from 'vitest';

import { ns, octets } from './brand';
import { boundsOf, clampView, fullView, isFull, panBy, zoomAbout } from './viewport';

const bounds = boundsOf(ns(100e9));

describe('viewport', () => {
  it('begins with the whole run', () => {
    const view = fullView(bounds);
    expect(isFull(view, bounds)).toBe(true);
    expect(view.t0).toBeLessThanOrEqual(0);
    expect(view.t1).toBeGreaterThanOrEqual(100e9);
  });

  it('zooms about a point that stays in its place', () => {
    const view = clampView({ t0: ns(20e9), t1: ns(60e9), y: null }, bounds);
    const closer = zoomAbout(view, bounds, 0.5, ns(30e9));
    expect(closer.t1 - closer.t0).toBeCloseTo(20e9);
    expect((30e9 - closer.t0) / (closer.t1 - closer.t0)).toBeCloseTo(0.25);
  });

  it('zooms a chosen sequence range along, and leaves a fitted one fitted', () => {
    const chosen = { t0: ns(20e9), t1: ns(60e9), y: { lo: octets(0), hi: octets(1000) } };
    expect(zoomAbout(chosen, bounds, 0.5, ns(30e9), octets(500)).y).toEqual({ lo: 250, hi: 750 });
    expect(zoomAbout({ ...chosen, y: null }, bounds, 0.5, ns(30e9), octets(500)).y).toBeNull();
  });

  it('never leaves the run and never gets narrower than its bound', () => {
    expect(isFull(panBy(fullView(bounds), bounds, 500e9), bounds)).toBe(true);
    const late = panBy(clampView({ t0: ns(20e9), t1: ns(30e9), y: null }, bounds), bounds, 500e9);
    expect(late.t1).toBeCloseTo(fullView(bounds).t1);
    expect(late.t1 - late.t0).toBeCloseTo(10e9);
    let view = fullView(bounds);
    for (let i = 0; i < 200; i++) view = zoomAbout(view, bounds, 0.5, ns(50e9));
    expect(view.t1 - view.t0).toBeCloseTo(bounds.narrowest, 0);
    for (let i = 0; i < 200; i++) view = zoomAbout(view, bounds, 2, ns(50e9));
    expect(isFull(view, bounds)).toBe(true);
  });
});
