import { isRead, readDuration, writeDuration } from './quantity';

/** So many samples can be read one by one. */
const FEW = 6;

const EMPIRICAL = /\bempirical\(([^()]*)\)/g;

/** A text of the engine's in which distributions of many samples are told by their number and range. */
export function withSamplesInBrief(text: string): string {
  return text.replace(EMPIRICAL, (whole, inside: string) => {
    const samples = inside.split(',').map((sample) => readDuration(sample));
    // The name of a file is no sample.
    if (samples.length <= FEW || !samples.every(isRead)) return whole;
    const spans = samples.map(({ value }) => value).sort((a, b) => a - b);
    return `empirical(${spans.length} samples, ${writeDuration(spans[0])} to ${writeDuration(spans[spans.length - 1])})`;
  });
}
