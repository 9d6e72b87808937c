import known from '../../../docs/run-options.json';

/** What is wanted of runs, by the names that the API has; the controller's table is the only one. */
export type RunOptions = {
  readonly [Name in keyof typeof known]?: string | number | boolean | readonly string[] | null;
};

export const MOST_REPETITIONS = known.repetitions.most;

/** The words of the command line for these options, in their order; what is as usual is left out. */
export function optionWords(options: RunOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = known[name as keyof typeof known];
    if (value === null || value === option.default) return [];
    if (value === false) return [option.flag];
    return [`${option.flag} ${quoted(Array.isArray(value) ? value.join(',') : String(value))}`];
  });
}

/** A word as a POSIX shell takes it. */
export function quoted(word: string): string {
  return /^[\w./@+,:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
