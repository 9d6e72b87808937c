import { Button } from '@mantine/core';
import { Link, useParams } from 'react-router';

import { useAllRuns } from '../../api/all-runs';
import { api } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { Comparison } from './comparison';

const ABOVE = [{ label: 'Runs', to: to.batches }];

/** Two or more variants of a batch beside each other. */
export function Component() {
  const { id = '' } = useParams();
  return /^[1-9]\d{0,15}$/.test(id) ? <Batch key={id} id={Number(id)} /> : <NoSuchBatch id={id} />;
}

function Batch({ id }: { readonly id: number }) {
  const batch = api.useQuery('get', '/api/v1/batches/{id}', { params: { path: { id } } });
  const runs = useAllRuns({ batch: id });
  if (batch.error instanceof ApiFailure && batch.error.status === 404) return <NoSuchBatch id={String(id)} />;
  const error = batch.error ?? runs.error;
  if (batch.data && runs.data) return <Comparison batch={batch.data} runs={runs.data} />;
  return (
    <Page title="Comparison" above={ABOVE}>
      {error ? (
        <Failure
          title="The batch could not be read"
          error={error}
          onRetry={() => {
            void batch.refetch();
            void runs.refetch();
          }}
        />
      ) : (
        <Waiting what={`batch ${id}`} rows={8} />
      )}
    </Page>
  );
}

function NoSuchBatch({ id }: { readonly id: string }) {
  return (
    <Page title="No such batch" above={ABOVE}>
      <Empty
        title={`There is no batch ${id}`}
        action={
          <Button component={Link} to={to.batches} mt="sm">
            To all runs
          </Button>
        }
      >
        It was deleted, or the address was mistyped.
      </Empty>
    </Page>
  );
}
