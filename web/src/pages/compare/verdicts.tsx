import { List, MultiSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

import { client, type Schema } from '../../api/client';
import { inOrder, metricLabel, METRICS } from '../../lib/metrics';
import { Failure } from '../../ui/failure';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import { MoreRuns } from './more-runs';
import { Partners } from './partners';
import type { Choice } from './choice';
import { Findings } from './findings';
import { linksInWords, untestedInWords } from './finding-words';
import { titleIn } from '../../results/model';
import type { Resolved } from '../../parts/use-resolved';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly runs: readonly Schema<'RunLine'>[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** Whether each variant is better than the baseline, as far as the runs can tell. */
export function Verdicts({ batch, runs, choice, titles }: Props) {
  const { change } = useAddress();
  const asked = {
    batch: batch.id,
    variants: [...choice.variants],
    ...(choice.metrics.length > 0 && { metrics: [...choice.metrics] }),
  };
  const told = useQuery({
    // The second part and the third are what the events look at (api/freshness.ts).
    queryKey: ['comparison', '/api/v1/batches/{id}', { params: { path: { id: batch.id } } }, asked],
    queryFn: async ({ signal }) => {
      const { data } = await client.POST('/api/v1/comparisons', { body: asked, signal });
      if (data === undefined) throw new Error('the comparison is empty');
      return data;
    },
    placeholderData: (before) => before,
  });
  const here =
    told.data?.findings.filter(({ link, testbed }) => link === choice.link && testbed === choice.testbed) ??
    [];
  const candidates = choice.variants.slice(1);
  return (
    <Stack component="section" gap="sm" aria-labelledby="verdicts">
      <Title order={2} size="h4" id="verdicts">
        Verdicts
      </Title>
      <MultiSelect
        label="Metrics"
        description="Each additional metric makes every difference harder to show (Holm’s correction)"
        placeholder={choice.metrics.length === 0 ? 'the usual ones' : ''}
        data={METRICS.map((metric) => ({ value: metric.name, label: metricLabel(metric) }))}
        value={inOrder(choice.metrics)}
        maw={720}
        searchable
        clearable
        hidePickedOptions
        onChange={(m) => change({ m }, 'push')}
      />
      {told.isPending && <Waiting what="the verdicts" rows={6} />}
      {told.error && (
        <Failure
          title="The variants could not be compared"
          error={told.error}
          onRetry={() => void told.refetch()}
        />
      )}
      {told.data && (
        <>
          {told.data.notes.length > 0 && (
            <List size="sm">
              {told.data.notes.map((note) => (
                <List.Item key={note}>{note}</List.Item>
              ))}
            </List>
          )}
          {candidates.map((candidate) => (
            <Findings
              key={candidate}
              comparison={told.data}
              findings={here.filter((finding) => finding.candidate === candidate)}
              baseline={titleIn(titles.variants, choice.variants[0])}
              candidate={titleIn(titles.variants, candidate)}
              metric={choice.metric}
              onMetric={(metric) => change({ metric }, 'push')}
            />
          ))}
          <MoreRuns batch={batch} findings={here} />
          <Partners runs={runs} choice={choice} titles={titles} />
          <Text size="sm" c="dimmed" maw="90ch">
            {here.some(({ paired }) => paired)
              ? 'The same repetition of both met the same link, so runs are compared in pairs. '
              : ''}
            “Better” and “worse” mean that a test of the runs or of the mean finds a difference at{' '}
            {percent(1 - told.data.confidence)}
            {told.data.family > 1 && `, after Holm’s correction over ${told.data.family} tests`}; “equal”
            means within {percent(told.data.margin)}; “inconclusive” means neither: these runs do not decide.{' '}
            {untestedInWords(told.data.findings, here.length)} {linksInWords(told.data.findings)}
          </Text>
        </>
      )}
    </Stack>
  );
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
