import { useState } from 'react';

import { api, type Schema } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { withReading, type Reading } from './throughput';

/** How often the link is read: no event tells of its counts. */
export const EVERY_MS = 1000;

export const EMULATOR = '/api/v1/emulator';

interface Watched {
  readonly emulator: Schema<'EmulatorLink'> | undefined;
  readonly error: unknown;
  /** Counts of the last seconds. */
  readonly readings: readonly Reading[];
  readonly again: () => void;
}

/** Whether the service has no emulator at all: nothing comes of asking again. */
export const isWithout = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'no-emulator';

/** The emulator's link, read again and again while the page is seen. */
export function useEmulator(): Watched {
  const { data, dataUpdatedAt, error, refetch } = api.useQuery(
    'get',
    EMULATOR,
    {},
    { refetchInterval: ({ state }) => (isWithout(state.error) ? false : EVERY_MS), staleTime: 0 },
  );
  const [readings, setReadings] = useState<readonly Reading[]>([]);
  if (data && dataUpdatedAt !== readings.at(-1)?.at) {
    const { since, down, up } = data;
    setReadings(withReading(readings, { at: dataUpdatedAt, since, down: down.octets, up: up.octets }));
  }
  return {
    emulator: data,
    error,
    readings,
    again: () => void refetch(),
  };
}
