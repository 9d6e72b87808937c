import { Button, Group, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import { BatchCards } from './batch-cards';
import { BatchTable } from './batch-table';
import { CapsuleUpload } from './capsule-upload';
import { ExperimentFilter } from './experiment-filter';

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
          <Button component={Link} to={to.testbeds} variant="default">
            Queue and testbeds
          </Button>
          <Button component={Link} to={to.newExperiment} leftSection={<IconPlus size={16} aria-hidden />}>
            New experiment
          </Button>
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
          {batches.isPending ? (
            <Waiting what="the batches" rows={8} />
          ) : batches.data === undefined ? (
            <Failure
              title="The batches could not be read"
              error={batches.error}
              onRetry={() => void batches.refetch()}
            />
          ) : batches.data.items.length > 0 ? (
            <>
              <Batches batches={batches.data.items} />
              <Pager of="batches" next={batches.data.next} />
            </>
          ) : experiment !== null || after !== null ? (
            <Empty
              title={experiment === null ? 'No older batches' : `${experiment} has not been run here`}
              action={
                <Button variant="default" onClick={everything}>
                  Show all batches
                </Button>
              }
            >
              {experiment === null
                ? 'These batches have been deleted.'
                : 'It has no batches. Run it from its page, or show all batches.'}
            </Empty>
          ) : (
            <Empty
              title="Nothing has been run here yet"
              action={
                <Button component={Link} to={to.welcome} mt="sm">
                  First experiment in five minutes
                </Button>
              }
            >
              Run an experiment, or drop a capsule here: one file that contains all of a run from another
              machine.
            </Empty>
          )}
        </Stack>
      </CapsuleUpload>
    </Page>
  );
}

/** A table does not fit on a narrow screen. */
function Batches({ batches }: { readonly batches: readonly Schema<'BatchTold'>[] }) {
  const narrow = useMediaQuery('(max-width: 48em)');
  return narrow ? <BatchCards batches={batches} /> : <BatchTable batches={batches} />;
}
