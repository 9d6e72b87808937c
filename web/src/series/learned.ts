import type { Engine } from '../contract/types';
import { requireVersion } from './decode';
import { Json } from './json';
import { REPORT_VERSION } from './report';

/** A link learned from captures, laid over what was captured. */
export type Learned = Engine<'LearnedPage'>;

/** What was captured and learned of one direction. */
export type LearnedWay = Engine<'LearnedWay'>;

/** Decodes the JSON of a learned link's report; `null` if the page holds another report, or none. Throws a `DataError`. */
export function decodeLearned(text: string): Learned | null {
  const root = Json.parse(text, 'report');
  if (!root.present || root.get('kind').value !== 'learned') return null;
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  return root.value as Learned;
}
