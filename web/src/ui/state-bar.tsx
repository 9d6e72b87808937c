import { Stack, Text } from '@mantine/core';

import { countOf, countsInWords, RUN_STATES, type StateCounts } from './states';

interface Props {
  readonly counts: StateCounts;
  readonly total: number;
  /** What this is the progress of, as `batch 12`. */
  readonly of: string;
  readonly height?: number;
}

/** How far many runs are: a stacked bar by state, and the same in words below it. */
export function StateBar({ counts, total, of, height = 10 }: Props) {
  const words = countsInWords(counts, total);
  const ended = total - countOf(counts, ['queued', 'running']);
  return (
    <Stack gap={4} miw={120}>
      <div
        className="state-bar"
        style={{ height }}
        role="progressbar"
        aria-label={`Progress of ${of}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
        aria-valuenow={ended}
        aria-valuetext={words}
      >
        {RUN_STATES.map((state) => {
          const count = counts[state] ?? 0;
          // What is none yet is there all the same: it grows from nothing, and nothing jumps.
          return (
            <i
              key={state}
              data-state={state}
              data-none={count === 0 || undefined}
              style={{ flexGrow: count }}
            />
          );
        })}
      </div>
      <Text size="xs" c="dimmed">
        {words}
      </Text>
    </Stack>
  );
}
