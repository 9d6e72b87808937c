import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';

import { ApiFailure } from '../api/failure';
import { to } from '../ui/links';

/** Sends to the page that asks for the token as soon as the controller wants one, and remembers where one was. */
export function Token({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query }) => {
        const error: unknown = query.state.error;
        if (!(error instanceof ApiFailure) || error.status !== 401 || pathname === to.session) return;
        const back = encodeURIComponent(pathname + search + hash);
        void navigate(`${to.session}?back=${back}`, { replace: true });
      }),
    [queries, navigate, pathname, search, hash],
  );
  return children;
}
