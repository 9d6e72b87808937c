import { Anchor, Progress, Stack, Table, Title } from '@mantine/core';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { to } from '../../ui/links';
import type { HowFar } from './run-changes';
import { Heads } from '../../ui/heads';

interface Props {
  readonly runs: readonly Schema<'RunLine'>[];
  readonly howFar: ReadonlyMap<number, HowFar>;
}

/** How far each live run under way is. Simulated ones are over before anybody could look. */
export function LiveProgress({ runs, howFar }: Props) {
  const live = runs.filter(({ state, testbed }) => state === 'running' && testbed !== 'sim');
  if (live.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="live" gap="xs">
      <Title order={2} size="h5" id="live">
        Running now
      </Title>
      <Table aria-labelledby="live" layout="fixed">
        <Heads of={['Run', { children: 'Arrived', w: '55%' }]} />
        <Table.Tbody>
          {live.map((run) => (
            <Table.Tr key={run.id}>
              <Table.Th scope="row" fw={400}>
                <Anchor component={Link} to={to.run(run.id)} size="sm">
                  {run.variant}, repetition {run.repetition}
                </Anchor>
              </Table.Th>
              <Table.Td>
                <Far far={howFar.get(run.id)} of={`run ${run.id}`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Far({ far, of }: { readonly far: HowFar | undefined; readonly of: string }) {
  if (!far) return <>started; no progress reported yet</>;
  const words = `${formatOctets(far.octets)} of ${formatOctets(far.of)} after ${far.atS.toFixed(1)} s`;
  return (
    <>
      <Progress.Root mb={4}>
        <Progress.Section
          value={far.of > 0 ? (100 * far.octets) / far.of : 0}
          aria-label={`Progress of ${of}`}
          aria-valuetext={words}
        />
      </Progress.Root>
      {words}
    </>
  );
}
