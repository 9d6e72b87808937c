import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';

import { EventStream, type Connection, type Happening } from './events';
import { ApiFailure } from './failure';
import { refresher } from './freshness';

const Stream = createContext<EventStream | null>(null);

/** Gives pages the controller's answers, kept as new as its events say. */
export function ApiProvider({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(queryClient);
  const [stream] = useState(() => new EventStream(() => void queries.invalidateQueries()));
  useEffect(() => {
    const leave = stream.subscribe(refresher(queries));
    stream.start();
    return () => {
      leave();
      stream.stop();
    };
  }, [queries, stream]);
  return (
    <Stream value={stream}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </Stream>
  );
}

/** Whether the controller can be heard. */
export function useConnection(): Connection {
  const stream = useStream();
  return useSyncExternalStore(stream.watch, stream.connection);
}

/** Why the controller does not tell this page what happens, while it refuses to. */
export function useRefusal(): string | null {
  const stream = useStream();
  return useSyncExternalStore(stream.watch, stream.refusal);
}

/** Calls the listener for everything that happens while the component is there. */
export function useHappenings(listener: (happening: Happening) => void): void {
  const stream = useStream();
  const hear = useEffectEvent(listener);
  useEffect(() => stream.subscribe((happening) => hear(happening)), [stream]);
}

function useStream(): EventStream {
  const stream = use(Stream);
  if (stream === null) throw new Error('outside of <ApiProvider>');
  return stream;
}

function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events say what is old; until then an answer is good.
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) =>
          failures < 3 && error instanceof ApiFailure && (error.status === 0 || error.status >= 502),
        retryDelay: (failures) => Math.min(4000, 500 * 2 ** failures),
      },
    },
  });
}
