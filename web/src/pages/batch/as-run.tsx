import { Anchor, List, Spoiler, Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { Copyable } from '../../ui/copy';
import { Failure } from '../../ui/failure';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';
import { commandOf } from './command';
import { useResolved } from './use-resolved';

/** The experiment as it was run, and how to have its results elsewhere. */
export function AsRun({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const { id } = batch;
  const resolved = useResolved(id);
  const address = `/api/v1/batches/${id}`;
  return (
    <Stack gap="xl">
      <Section title="Downloads">
        <List spacing={4}>
          <List.Item>
            <Anchor href={`${address}/report`} target="_blank" rel="noopener">
              Report
            </Anchor>
            : results, claims and diagrams in one page, which can be saved and sent
          </List.Item>
          <List.Item>
            <Anchor href={`${address}/results`} download={`batch-${id}-results.json`}>
              Results as JSON
            </Anchor>
            , as “windlull run --json” writes them
          </List.Item>
          <List.Item>
            <Anchor href={`${address}/results.parquet`} download={`batch-${id}.parquet`}>
              Results as Parquet
            </Anchor>
            : a row a run, a column a metric
          </List.Item>
          <List.Item>
            <Anchor href={`${address}/experiment`} download={`batch-${id}-experiment.json`}>
              Experiment as JSON
            </Anchor>
            , with every default
          </List.Item>
        </List>
      </Section>
      <Section title="From the command line">
        <Text size="sm" c="dimmed" maw="80ch">
          The same runs without a service. Simulated ones give the same octets wherever they are made.
        </Text>
        <Copyable text={commandOf(batch)} what="the command" />
      </Section>
      <Section title="The experiment as it was run">
        {resolved.isPending && <Waiting what="the experiment" />}
        {resolved.isError && (
          <Failure
            title="The experiment could not be read"
            error={resolved.error}
            onRetry={() => void resolved.refetch()}
          />
        )}
        {resolved.data && (
          <>
            {resolved.data.description !== '' && <Text maw="80ch">{resolved.data.description}</Text>}
            <Spoiler maxHeight={420} showLabel="Show all of it" hideLabel="Show less">
              <Copyable text={resolved.data.text} what="the experiment" />
            </Spoiler>
          </>
        )}
      </Section>
    </Stack>
  );
}
