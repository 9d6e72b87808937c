import type { Engine } from '../../contract/types';

/** What `run.json` says of a run of commands; docs/capture-format.md describes it. */
export type CommandsReport = Pick<Engine<'CommandRunFile'>, 'commands' | 'traffic'>;

export type CommandReport = Engine<'CommandReport'>;

export type TrafficCourse = Engine<'TrafficCourse'>;

/** What a run's analysis says of its commands; null if it ran none. */
export function commandsOf(analysis: Readonly<Record<string, unknown>>): CommandsReport | null {
  return 'commands' in analysis && 'traffic' in analysis ? (analysis as unknown as CommandsReport) : null;
}

/** How a command ended, in words. */
export function endInWords({ exit_code, signal }: CommandReport): string {
  if (exit_code !== null) return `exit code ${exit_code}`;
  return signal === null ? 'unknown' : `ended by signal ${signal}`;
}

/** Columns of a chart: when each bin ends, and what it holds of either direction. */
export interface Columns {
  readonly at: readonly number[];
  readonly down: readonly (number | null)[];
  readonly up: readonly (number | null)[];
}

/** Rate, delay and losses over time. */
export function columnsOf({
  bin_s,
  down,
  up,
}: Engine<'TrafficCourse'>): Readonly<Record<'rate' | 'delay' | 'lost', Columns>> {
  const at = down.delay_s.map((_, i) => (i + 1) * bin_s);
  const both = (column: (way: Engine<'WayCourse'>) => readonly (number | null)[]) => ({
    at,
    down: column(down),
    up: column(up),
  });
  return {
    rate: both((way) => way.arrived_bytes.map((bytes) => (bytes * 8) / bin_s)),
    delay: both((way) => way.delay_s),
    lost: both((way) => way.lost),
  };
}
