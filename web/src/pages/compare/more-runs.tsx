import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlaylistAdd } from '@tabler/icons-react';
import { useNavigate, useSearchParams } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { metricOf } from '../../lib/metrics';
import { RunDialog } from '../../ui/batch/run-dialog';
import { to } from '../../ui/links';
import { notifyDone } from '../../ui/notify';
import { testbedOf } from '../../ui/testbeds';
import { runsToQueue } from './finding-words';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  /** All that are on show. */
  readonly findings: readonly Schema<'FindingTold'>[];
}

/** The API gives no more repetitions to one batch than this is good for: beyond, another metric tells more. */
const MOST_OFFERED = 2000;

/** Queues as many repetitions as would decide what is open: a new batch of the same seed, in which the known runs are kept. */
export function MoreRuns({ batch, findings }: Props) {
  const [opened, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const wanted = findings
    .filter(({ verdict }) => verdict === 'inconclusive')
    .flatMap((finding) => {
      const runs = runsToQueue(finding);
      return runs === null || runs <= batch.repetitions || runs > MOST_OFFERED
        ? []
        : [{ runs, metric: finding.metric }];
    })
    .sort((a, b) => a.runs - b.runs);
  const first = wanted.at(0);
  if (first === undefined) return null;
  return (
    <>
      <Group gap="sm">
        <Button variant="default" leftSection={<IconPlaylistAdd size={16} aria-hidden />} onClick={open}>
          Queue {plural(first.runs, 'repetition')} …
        </Button>
        <Text size="sm" c="dimmed">
          They would decide {metricOf(first.metric).label}, if the difference is as large as it looks.
          {batch.testbed === 'sim' && ' The seed stays the same, so existing runs are reused.'}
        </Text>
      </Group>
      <RunDialog
        opened={opened}
        onClose={close}
        given={{
          experiment: batch.experiment,
          repetitions: first.runs,
          seed: batch.seed,
          testbed: testbedOf(batch.testbed),
          captures: batch.captures,
          ...(batch.plane === 'model' || batch.plane === 'netem' ? { plane: batch.plane } : {}),
        }}
        onQueued={(made) => {
          notifyDone(
            `Batch ${made.id} is queued`,
            'The comparison now shows its runs and updates as they end.',
          );
          void navigate(`${to.compare(made.id)}?${params.toString()}`);
        }}
      />
    </>
  );
}
