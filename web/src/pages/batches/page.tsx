import { Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { Asked, Empty } from '../../ui/asked';
import { LinkButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { useAddress } from '../../ui/use-address';
import { BatchTags } from '../../ui/batch/batch-facts';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { BatchTable } from './batch-table';
import { CapsuleUpload } from './capsule-upload';
import { RowActions } from './row-actions';

/** How many batches a page has. */
const LIMIT = 25;

/** All batches, newest first; `experiment` and `after` (a cursor) in the address say which. */
export function Component() {
  const { params, change } = useAddress();
  const experiment = params.get('experiment');
  const after = params.get('after');
  const batches = api.useQuery(
    'get',
    '/api/v1/batches',
    {
      params: {
        query: {
          limit: LIMIT,
          ...(experiment === null ? {} : { experiment }),
          ...(after === null ? {} : { cursor: after }),
        },
      },
    },
    { placeholderData: keepPreviousData },
  );
  const everything = () => change({ experiment: null, after: null }, 'push');
  return (
    <Page
      title="Runs"
      about="Every batch: an experiment that was submitted, with all its runs."
      actions={
        <>
          <LinkButton to={to.testbeds}>Queue and testbeds</LinkButton>
          <LinkButton to={to.newExperiment} sign={IconPlus} variant="filled">
            New experiment
          </LinkButton>
        </>
      }
    >
      <CapsuleUpload asked={params.get('upload') === 'capsule'}>
        <Stack>
          <Group align="flex-end" justify="space-between">
            <ExperimentFilter
              value={experiment}
              onChange={(name) => change({ experiment: name, after: null }, 'push')}
            />
          </Group>
          <Asked query={batches} failed="The batches could not be read" what="the batches" rows={8}>
            {({ items, next }) =>
              items.length > 0 ? (
                <>
                  <Batches batches={items} />
                  <Pager of="batches" next={next} />
                </>
              ) : experiment !== null || after !== null ? (
                <Empty
                  title={experiment === null ? 'No older batches' : `${experiment} has not been run here`}
                  action={<Button onClick={everything}>Show all batches</Button>}
                >
                  {experiment === null
                    ? 'These batches have been deleted.'
                    : 'It has no batches. Run it from its page, or show all batches.'}
                </Empty>
              ) : (
                <Empty
                  title="Nothing has been run here yet"
                  go={['First experiment in five minutes', to.welcome]}
                >
                  Run an experiment, or drop a capsule here: one file that contains all of a run from another
                  machine.
                </Empty>
              )
            }
          </Asked>
        </Stack>
      </CapsuleUpload>
    </Page>
  );
}

/** A table does not fit on a narrow screen. */
function Batches({ batches }: { readonly batches: readonly Schema<'BatchView'>[] }) {
  const narrow = useMediaQuery('(max-width: 48em)');
  return narrow ? <BatchCards batches={batches} /> : <BatchTable batches={batches} />;
}

/** Batches one below the other, for narrow screens. */
function BatchCards({ batches }: { readonly batches: readonly Schema<'BatchView'>[] }) {
  return (
    <Stack component="ul" aria-label="Batches" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {batches.map((batch) => (
        <Paper key={batch.id} component="li" withBorder p="sm">
          <Stack gap="xs">
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
                <TextLink to={to.batch(batch.id)} fw={600}>
                  {batch.title || batch.experiment}
                </TextLink>
                <Text size="xs" c="dimmed" ff="monospace">
                  {batch.experiment}
                </Text>
              </Stack>
              <RowActions batch={batch} />
            </Group>
            <Group gap={6}>
              <BatchBadge batch={batch} />
              <BatchTags batch={batch} />
              <Text size="xs" c="dimmed" span>
                batch {batch.id}, <Moment at={batch.created_at} />
              </Text>
            </Group>
            <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}

interface Props {
  readonly value: string | null;
  readonly onChange: (name: string | null) => void;
}

/** The API's largest page: enough names to choose from. One that is not among them can stand in the address. */
const NAMES = 500;

/** Which experiment's batches to show. */
function ExperimentFilter({ value, onChange }: Props) {
  const experiments = api.useQuery('get', '/api/v1/experiments', { params: { query: { limit: NAMES } } });
  const names = new Set(experiments.data?.items.map((one) => one.name));
  if (value !== null) names.add(value);
  return (
    <Select
      label="Experiment"
      placeholder="All experiments"
      w={{ base: '100%', xs: 380 }}
      searchable
      clearable
      allowDeselect
      clearButtonProps={{ 'aria-label': 'All experiments' }}
      data={[...names].sort()}
      value={value}
      onChange={onChange}
      nothingFoundMessage="No experiment of that name"
    />
  );
}
