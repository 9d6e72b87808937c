import { Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { anchorOf } from '../../results/anchor';
import { Claims } from '../../results/claims';
import { RunDialog } from '../../ui/batch/run-dialog';
import { Bullets, Muted } from '../../ui/text';
import { LinkButton, SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Section } from '../../ui/page';
import { StateBar } from '../../ui/state-bar';
import { metricOf } from '../../lib/metrics';
import { PaperTable } from '../../results/paper-table';

/** A table or figure of a paper: its numbers beside ours, its claims, and the way to our runs. */
export function Experiment({ experiment }: { readonly experiment: Schema<'PaperExperiment'> }) {
  const { name, title, description, source, batch, published, statistic, rows, claims, assumptions } =
    experiment;
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  return (
    <Section title={title} id={anchorOf(name)}>
      <Stack gap={6} maw="80ch">
        {description !== '' && <Text size="sm">{description}</Text>}
        <Muted>{source}</Muted>
        {batch === null ? (
          <Text size="sm">{`Not run here yet; it has ${plural(experiment.repetitions, 'repetition')} of each variant.`}</Text>
        ) : (
          <Text size="sm">
            Ours:{' '}
            <TextLink to={to.batch(batch.id)} underline="always">
              batch {batch.id}
            </TextLink>
            , <Moment at={batch.created_at} />, {plural(batch.repetitions, 'repetition')}, seed {batch.seed},
            engine {batch.engine}.
          </Text>
        )}
        {experiment.under_way !== null && <UnderWay id={experiment.under_way} />}
      </Stack>
      {rows.length > 0 && <Numbers title={title} rows={rows} published={published} statistic={statistic} />}
      <Claims claims={claims} testbeds={claims.flatMap(({ testbed }) => testbed ?? [])} />
      {rows.length === 0 && claims.length === 0 && (
        <Text size="sm">
          The paper gives no numbers and makes no claims here: it shows a diagram, which our runs draw.
        </Text>
      )}
      {assumptions.length > 0 && (
        <details>
          <Text component="summary" size="sm">
            What the paper does not give, and what was chosen ({assumptions.length})
          </Text>
          <Bullets of={assumptions} mt="xs" spacing={4} maw="80ch" />
        </details>
      )}
      <Group gap="xs">
        <SignButton sign={IconPlayerPlay} aria-label={`Run ${title}`} onClick={() => setAsking(true)}>
          Run
        </SignButton>
        {batch !== null && (
          <LinkButton to={to.compare(batch.id)} aria-label={`Compare the variants of ${title}`}>
            Compare the variants
          </LinkButton>
        )}
        <LinkButton to={to.document('experiment', name)} aria-label={`The experiment ${name}`}>
          The experiment
        </LinkButton>
      </Group>
      <RunDialog
        given={{ experiment: name, testbed: 'sim', captures: true }}
        opened={asking}
        onClose={() => setAsking(false)}
        onQueued={(made) => void navigate(to.batch(made.id))}
      />
    </Section>
  );
}

/** How far the newest batch is, while it has not ended: its numbers are not among those shown. */
function UnderWay({ id }: { readonly id: number }) {
  const { data } = api.useQuery('get', '/api/v1/batches/{id}', { params: { path: { id } } });
  return (
    <Stack gap={4} maw={420}>
      <Text size="sm">
        Under way:{' '}
        <TextLink to={to.batch(id)} underline="always">
          batch {id}
        </TextLink>
      </Text>
      {data && <StateBar counts={data.runs} total={data.total} of={`batch ${id}`} />}
    </Stack>
  );
}

interface Props {
  readonly title: string;
  readonly rows: readonly Schema<'RowView'>[];
  /** Where the paper's numbers stand. */
  readonly published: string | null;
  /** What they are of the repetitions. */
  readonly statistic: 'median' | 'mean';
}

/** The paper's table with ours below each of its numbers. */
function Numbers({ title, rows, published, statistic }: Props) {
  const columns = rows.at(0)?.numbers ?? [];
  return (
    <PaperTable
      label={`Numbers: ${title}`}
      columns={columns.map(({ metric, label }) => ({ metric: metricOf(metric), label }))}
      rows={rows.map(({ variant, label, numbers }) => ({
        variant,
        label,
        printed: numbers.map((number) => number.published),
        ours: [...new Set(numbers.flatMap(({ ours }) => Object.keys(ours)))].map((testbed) => ({
          testbed,
          numbers: numbers.map(({ ours, spread }) => {
            if (!(testbed in ours)) return null;
            const range = testbed in spread ? spread[testbed] : null;
            return { value: ours[testbed], range: range && { low: range.q1, high: range.q3 } };
          }),
        })),
      }))}
      source={published ?? ''}
      statistic={statistic}
      ranges="quartiles"
    />
  );
}
