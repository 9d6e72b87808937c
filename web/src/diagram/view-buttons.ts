import type { Chart } from './chart';
import type { ChartFrame } from './content';
import { makeButton } from './dom';
import { savePng, saveSvg } from './export';

/** What the buttons of every diagram do. */
export interface ViewTarget {
  zoom(factor: number): void;
  reset(): void;
  saveSvg(): void;
  savePng(): void;
}

/** They act on the chart as it is shown, and save it as a figure. */
export function viewTarget(
  chart: () => Pick<Chart<ChartFrame>, 'zoomMiddle' | 'reset' | 'figure'>,
): ViewTarget {
  return {
    zoom: (factor) => chart().zoomMiddle(factor),
    reset: () => chart().reset(),
    saveSvg: () => saveSvg(chart().figure()),
    savePng: () => savePng(chart().figure()),
  };
}

/** The buttons in their order; `whole` says what is shown by the one that shows all, `more` are the diagram's own. */
export function viewButtons(
  target: ViewTarget,
  whole: { readonly label: string; readonly words: string },
  ...more: readonly HTMLButtonElement[]
): readonly HTMLButtonElement[] {
  return [
    makeButton('ts-button', '−', 'Zoom out (key −)', () => target.zoom(2)),
    makeButton('ts-button', '+', 'Zoom in (key +)', () => target.zoom(0.5)),
    makeButton('ts-button', whole.label, `Show ${whole.words} (key 0, or double-click)`, () =>
      target.reset(),
    ),
    ...more,
    makeButton('ts-button', 'SVG', 'Save this view as an SVG figure', () => target.saveSvg()),
    makeButton('ts-button', 'PNG', 'Save this view as a PNG figure', () => target.savePng()),
  ];
}
