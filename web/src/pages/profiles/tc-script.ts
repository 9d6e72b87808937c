const HEADING = '# Where this link differs from the model:';

/** What a script of `tc` and `nft` says of itself that it does otherwise than the model; in its order. */
export function differences(script: string): readonly string[] {
  const lines = script.split('\n');
  const heading = lines.indexOf(HEADING);
  if (heading < 0) return [];
  const notes: string[] = [];
  for (const line of lines.slice(heading + 1)) {
    if (!line.startsWith('# - ')) break;
    notes.push(line.slice(4));
  }
  return notes;
}
