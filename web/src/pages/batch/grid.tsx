import { Group, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useMemo, useState } from 'react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { RUN_STATES, stateInWords, type StateCounts } from '../../ui/states';
import { RowSquares } from './row-squares';
import { inWords, rowName, rowsOf } from './rows';
import { signOf } from './squares';

type RunLine = Schema<'RunLine'>;

interface Props {
  readonly runs: readonly RunLine[];
  readonly counts: StateCounts;
}

/** Every run of a batch as a sign of its state: a line for each variant, a sign for each repetition. */
export function Grid({ runs, counts }: Props) {
  const { ref, width } = useElementSize();
  const rows = useMemo(() => rowsOf(runs), [runs]);
  const [pointed, setPointed] = useState<RunLine | null>(null);
  const shown = pointed && runs.find(({ id }) => id === pointed.id);
  return (
    <Stack gap="sm" component="section" aria-label="Runs by variant and repetition">
      <div ref={ref}>
        <Stack gap="sm">
          {rows.map((row) => (
            <RowSquares key={row.key} row={row} {...rowName(row, rows)} width={width} onPoint={setPointed} />
          ))}
        </Stack>
      </div>
      <Group gap="md">
        {RUN_STATES.filter((state) => (counts[state] ?? 0) > 0).map((state) => (
          <Text key={state} size="xs" span>
            <svg className="run-sign" width={11} height={11} aria-hidden>
              <path data-state={state} fillRule="evenodd" d={signOf(state, 0, 0, 11)} />
            </svg>{' '}
            {stateInWords(state)}
          </Text>
        ))}
        <Text size="xs" c="dimmed" span>
          {shown
            ? inWords(shown)
            : `${plural(rows.length, 'line')}, one symbol per repetition: choose one to open its run.`}
        </Text>
      </Group>
    </Stack>
  );
}
