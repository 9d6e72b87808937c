import {
  createBrowserRouter,
  isRouteErrorResponse,
  Navigate,
  type RouteObject,
  useRouteError,
} from 'react-router';

import { to } from '../ui/links';
import { Failure, Nowhere, Waiting } from '../ui/asked';
import { Page } from '../ui/page';
import { Shell } from './shell';

/** Every page is a chunk of its own, so that the first one is soon there. A page's module exports `Component`. */
const pages: RouteObject[] = [
  { index: true, lazy: () => import('../pages/home/page') },
  { path: 'welcome', lazy: () => import('../pages/welcome/page') },
  { path: 'session', lazy: () => import('../pages/session/page') },
  { path: 'batches', lazy: () => import('../pages/batches/page') },
  { path: 'batches/:id', lazy: () => import('../pages/batch/page') },
  { path: 'batches/:id/compare', lazy: () => import('../pages/compare/page') },
  { path: 'comparisons', lazy: () => import('../pages/compare/two-batches') },
  { path: 'trends', lazy: () => import('../pages/trends/page') },
  { path: 'runs', element: <Navigate to={to.batches} replace /> },
  { path: 'runs/:id', lazy: () => import('../pages/run/page') },
  { path: 'differences', lazy: () => import('../pages/differences/page') },
  { path: 'experiments', lazy: () => import('../pages/experiments/list') },
  { path: 'experiments/new', lazy: () => import('../pages/new-experiment/page') },
  { path: 'experiments/view/*', lazy: () => import('../pages/experiments/view') },
  { path: 'experiments/history/*', lazy: () => import('../pages/history/experiment') },
  { path: 'profiles/links/import', lazy: () => import('../pages/profiles/import') },
  { path: 'profiles/links/import-recording', element: <Navigate to={to.importRecording} replace /> },
  { path: 'profiles/:kind', lazy: () => import('../pages/profiles/list') },
  { path: 'profiles/:kind/new', lazy: () => import('../pages/profiles/edit') },
  { path: 'profiles/:kind/view/*', lazy: () => import('../pages/profiles/view') },
  { path: 'profiles/:kind/edit/*', lazy: () => import('../pages/profiles/edit') },
  { path: 'profiles/:kind/history/*', lazy: () => import('../pages/history/profile') },
  { path: 'searches', lazy: () => import('../pages/searches/page') },
  { path: 'searches/:id', lazy: () => import('../pages/search/page') },
  { path: 'schedules', lazy: () => import('../pages/schedules/page') },
  { path: 'schedules/:id', lazy: () => import('../pages/schedule/page') },
  { path: 'papers', lazy: () => import('../pages/papers/list') },
  { path: 'papers/:paper', lazy: () => import('../pages/papers/paper') },
  { path: 'live-link', lazy: () => import('../pages/live-link/page') },
  { path: 'captures', lazy: () => import('../pages/captures/page') },
  { path: 'testbeds', lazy: () => import('../pages/testbeds/page') },
  { path: '*', Component: NotFound },
];

export const router = createBrowserRouter([
  {
    Component: Shell,
    children: [
      {
        ErrorBoundary: Lost,
        // Stands in the first page's place until its chunk is there.
        HydrateFallback: () => <Waiting what="the page" rows={8} />,
        children: pages,
      },
    ],
  },
]);

/** What stands at an address that is no page’s. */
function NotFound() {
  return (
    <Nowhere
      title="No such page"
      heading="There is nothing at this address"
      go={['Go to the home page', to.home]}
    >
      The address may be mistyped, or belong to a newer version of Windlull.
    </Nowhere>
  );
}

/** What stands in place of a page that broke, or whose script could not be loaded. */
function Lost() {
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
