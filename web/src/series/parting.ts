import type { Engine } from '../contract/types';
import { ns, type Ns } from '../lib/brand';
import type { Viewport } from '../lib/viewport';
import { commonExtent } from './anchors';
import { requireVersion } from './decode';
import { Json } from './json';
import { REPORT_VERSION } from './report';
import type { SeriesSource } from './source';

/** Two runs and where they part, as the page has it. */
export type PartingPage = Engine<'DifferencePage'>;

/** Under which names the page holds the diagram data of both runs. */
export const KEYS = ['a', 'b'] as const;

/** What the axis of both runs has at its zero. */
export const WHERE = 'where they part';

/** Decodes the JSON of the page of two runs; `null` if the page holds another report, or none. Throws a `DataError`. */
export function decodeParting(text: string): PartingPage | null {
  const root = Json.parse(text, 'report');
  if (!root.present || root.get('kind').value !== 'difference') return null;
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  return root.value as PartingPage;
}

/** Both runs by their letter and variant, which may be the same. */
export function namesOf({ difference: { a, b } }: PartingPage): readonly string[] {
  return [a, b].map(({ provenance }, i) => `${KEYS[i].toUpperCase()} ${provenance.variant}`);
}

/** When two runs part, in their own time; the start of runs that do not. */
export function partingAt({ difference }: PartingPage): Ns {
  return ns(difference.parting?.at_ns ?? 0);
}

/** As much of both runs as was told of them, in the time of an axis whose zero is where they part. */
export function viewOf({ difference: { parting } }: PartingPage): Viewport | null {
  if (parting === null) return null;
  const { at_ns, window } = parting;
  return { t0: ns(window.from_ns - at_ns), t1: ns(window.to_ns - at_ns), y: null };
}

/** How far an axis with its zero at this instant goes where it shows all of these runs. */
export function extentAbout(sources: readonly SeriesSource[], at: Ns) {
  return commonExtent(
    sources.map(({ overview }) => overview),
    { key: 'parting', label: WHERE, t: sources.map(() => at) },
  );
}
