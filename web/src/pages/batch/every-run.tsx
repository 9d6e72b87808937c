import { Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useElementSize } from '@mantine/hooks';

import type { Schema } from '../../api/client';
import { useAddress } from '../../ui/use-address';
import { plural } from '../../lib/format';
import { RUN_STATES, type StateCounts, stateInWords } from '../../ui/states';
import { RowSquares } from './row-squares';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { firstPair, inWords, partQuery, rowName, rowsOf } from './rows';
import { signOf } from './squares';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly Schema<'RunLine'>[];
}

/**
 * The grid of all runs; `grid` in the address says whether it is open. At first it is unless all of them were done
 * already: then every sign is the same, and the results matter.
 */
export function EveryRun({ batch, runs }: Props) {
  const { params, change } = useAddress();
  const [atFirst] = useState(batch.runs['done'] !== batch.total);
  const asked = params.get('grid');
  const open = asked === null ? atFirst : asked === 'open';
  const Sign = open ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton
        fz="sm"
        aria-expanded={open}
        aria-controls="every-run"
        onClick={() => change({ grid: open ? 'closed' : 'open' }, 'replace')}
      >
        <Sign size={14} aria-hidden /> Every run, by variant and repetition
      </UnstyledButton>
      <Collapse expanded={open} id="every-run" pt="sm">
        {open && <Grid runs={runs} counts={batch.runs} />}
      </Collapse>
    </div>
  );
}

type RunLine = Schema<'RunLine'>;

interface GridProps {
  readonly runs: readonly RunLine[];
  readonly counts: StateCounts;
}

/** Every run of a batch as a sign of its state: a line for each variant, a sign for each repetition. */
function Grid({ runs, counts }: GridProps) {
  const { ref, width } = useElementSize();
  const rows = useMemo(() => rowsOf(runs), [runs]);
  const [pointed, setPointed] = useState<RunLine | null>(null);
  const shown = pointed && runs.find(({ id }) => id === pointed.id);
  const pair = useMemo(() => firstPair(rows), [rows]);
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
        {pair !== null && (
          <TextLink to={`${to.compare(pair[0].batch)}?${partQuery(pair)}#${to.partAnchor}`} size="xs">
            Where {pair[0].variant} and {pair[1].variant} part first, repetition {pair[0].repetition}
          </TextLink>
        )}
      </Group>
    </Stack>
  );
}
