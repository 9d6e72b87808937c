import { Anchor, List, Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { useDocument } from '../../api/documents';
import { Copyable } from '../../ui/copy';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';
import { commandOf } from './command';
import { Files } from './files';

/** The experiment as it was run, and how to have its results elsewhere. */
export function AsRun({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const { id } = batch;
  // One that is not here any more was not shipped, so that its failure answers as well.
  const document = useDocument('experiments', batch.experiment);
  const shipped = document.data?.origin === 'shipped' && !batch.imported;
  const address = `/api/v1/batches/${id}`;
  return (
    <Stack gap="xl">
      <Section title="Downloads">
        <List spacing={4}>
          <List.Item>
            <Anchor underline="always" href={`${address}/report`} target="_blank" rel="noopener">
              Report
            </Anchor>
            : results, claims and diagrams in one page, which can be saved and sent
          </List.Item>
          <List.Item>
            <Anchor underline="always" href={`${address}/results`} download={`batch-${id}-results.json`}>
              Results as JSON
            </Anchor>
            , as “windlull run --json” writes them
          </List.Item>
          <List.Item>
            <Anchor underline="always" href={`${address}/results.parquet`} download={`batch-${id}.parquet`}>
              Results as Parquet
            </Anchor>
            : one row per run, one column per metric
          </List.Item>
          <List.Item>
            <Anchor
              underline="always"
              href={`${address}/experiment`}
              download={`batch-${id}-experiment.json`}
            >
              Experiment as JSON
            </Anchor>
            , with every default
          </List.Item>
        </List>
      </Section>
      <Section title="From the command line">
        <Text size="sm" c="dimmed" maw="80ch">
          The same runs without a service. Simulated ones give the same bytes on every machine.
          {!shipped &&
            ' Its files may differ from the shipped ones: save those below under their paths in a directory, here “profiles”.'}
        </Text>
        {document.isPending ? (
          <Waiting what="the command" rows={1} />
        ) : (
          <Copyable text={commandOf(batch, shipped)} what="the command" />
        )}
      </Section>
      <Files batch={batch} />
    </Stack>
  );
}
