import type { Engine } from '../contract/types';
import { requireVersion } from './decode';
import { Json } from './json';
import { REPORT_VERSION } from './report';

/** Two runs and where they part, as the page has it. */
export type PartingPage = Engine<'DifferencePage'>;

/** Under which names the page holds the diagram data of both runs. */
export const KEYS = ['a', 'b'] as const;

/** Decodes the JSON of the page of two runs; `null` if the page holds another report, or none. Throws a `DataError`. */
export function decodeParting(text: string): PartingPage | null {
  const root = Json.parse(text, 'report');
  if (!root.present || root.get('kind').value !== 'difference') return null;
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  return root.value as PartingPage;
}
