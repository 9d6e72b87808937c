import { Button } from '@mantine/core';
import { Link, useParams } from 'react-router';

import { api } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { RunView } from './run-view';

/** A run: what was done, what it measured, and its diagram with the story of each trouble. */
export function Component() {
  const { id = '' } = useParams();
  return /^[1-9]\d{0,15}$/.test(id) ? <Run key={id} id={Number(id)} /> : <NoSuchRun id={id} />;
}

function Run({ id }: { readonly id: number }) {
  const run = api.useQuery('get', '/api/v1/runs/{id}', { params: { path: { id } } });
  if (run.data) return <RunView run={run.data} />;
  if (run.error instanceof ApiFailure && run.error.status === 404) return <NoSuchRun id={String(id)} />;
  return (
    <Page title={`Run ${id}`} above={ABOVE}>
      {run.error ? (
        <Failure title="The run could not be read" error={run.error} onRetry={() => void run.refetch()} />
      ) : (
        <Waiting what={`run ${id}`} rows={8} />
      )}
    </Page>
  );
}

const ABOVE = [{ label: 'Runs', to: to.batches }];

function NoSuchRun({ id }: { readonly id: string }) {
  return (
    <Page title="No such run" above={ABOVE}>
      <Empty
        title={`There is no run ${id}`}
        action={
          <Button component={Link} to={to.batches} mt="sm">
            To all runs
          </Button>
        }
      >
        It was deleted with its batch, or the address was mistyped.
      </Empty>
    </Page>
  );
}
