import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';

import { to } from '../ui/links';
import { Waiting } from '../ui/waiting';
import { Lost, NotFound } from './lost';
import { Shell } from './shell';

/** Every page is a chunk of its own, so that the first one is soon there. A page's module exports `Component`. */
const pages: RouteObject[] = [
  { index: true, lazy: () => import('../pages/home/page') },
  { path: 'welcome', lazy: () => import('../pages/welcome/page') },
  { path: 'session', lazy: () => import('../pages/session/page') },
  { path: 'batches', lazy: () => import('../pages/batches/page') },
  { path: 'batches/:id', lazy: () => import('../pages/batch/page') },
  { path: 'batches/:id/compare', lazy: () => import('../pages/compare/page') },
  { path: 'runs', element: <Navigate to={to.batches} replace /> },
  { path: 'runs/:id', lazy: () => import('../pages/run/page') },
  { path: 'experiments', lazy: () => import('../pages/experiments/list') },
  { path: 'experiments/new', lazy: () => import('../pages/new-experiment/page') },
  { path: 'experiments/view/*', lazy: () => import('../pages/experiments/view') },
  { path: 'profiles/links/import', lazy: () => import('../pages/profiles/import') },
  { path: 'profiles/:kind', lazy: () => import('../pages/profiles/list') },
  { path: 'profiles/:kind/new', lazy: () => import('../pages/profiles/edit') },
  { path: 'profiles/:kind/view/*', lazy: () => import('../pages/profiles/view') },
  { path: 'profiles/:kind/edit/*', lazy: () => import('../pages/profiles/edit') },
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
