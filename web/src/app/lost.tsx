import { Button } from '@mantine/core';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';

import { Empty } from '../ui/empty';
import { Failure } from '../ui/failure';
import { to } from '../ui/links';
import { Page } from '../ui/page';

/** What stands at an address that is no page’s. */
export function NotFound() {
  return (
    <Page title="No such page">
      <Empty
        title="There is nothing at this address"
        action={
          <Button component={Link} to={to.home} mt="sm">
            Go to the home page
          </Button>
        }
      >
        The address may be mistyped, or belong to a newer version of Windlull.
      </Empty>
    </Page>
  );
}

/** What stands in place of a page that broke, or whose script could not be loaded. */
export function Lost() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const reload = () => location.reload();
  // A page's chunk is gone when the controller was replaced by another version, or does not answer.
  const chunk = error instanceof TypeError && error.message.includes('import');
  return (
    <Page title="This page could not be shown">
      <Failure
        title={chunk ? 'A part of the page could not be loaded' : 'An error in this page'}
        error={
          chunk
            ? new Error('The controller does not answer or has been updated. Try again when it is running.')
            : error
        }
        onRetry={reload}
      />
    </Page>
  );
}
