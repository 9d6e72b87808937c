/** Which engine made something. */
export interface Engine {
  readonly version: string;
  readonly commit: string;
}

/**
 * The engine in words. A commit of an engine that was built of changed sources carries `+` and a hash of these.
 */
export function madeBy({ version, commit }: Engine): string {
  const plus = commit.indexOf('+');
  return plus < 0
    ? `Windlull ${version}, commit ${commit}`
    : `Windlull ${version}, with changes since commit ${commit.slice(0, plus)} (sources ${commit.slice(plus + 1)})`;
}
