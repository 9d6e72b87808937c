import createFetchClient from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';

import { ApiFailure, failureOf } from './failure';
import type { paths } from '../contract/api';

export type { Direction, Schema } from '../contract/types';

/** Typed requests to the controller that served this page. Anything but success throws an `ApiFailure`. */
export const client = createFetchClient<paths>({ baseUrl: '/' });

client.use({
  async onResponse({ response }) {
    if (!response.ok && response.status !== 304) throw await failureOf(response);
  },
  onError({ error }) {
    return new ApiFailure({
      status: 0,
      code: 'unreachable',
      message: 'the controller does not answer',
      problems: [],
      cause: error,
    });
  },
});

/** The same as hooks: `api.useQuery('get', '/api/v1/runs/{id}', { params: { path: { id } } })`. */
export const api = createQueryClient(client);
