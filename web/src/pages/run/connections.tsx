import { Select } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { endsOf } from '../../parts/connections/list';
import { ConnectionView } from '../../parts/connections/view';
import { Asked, Failure } from '../../ui/asked';

type Run = Schema<'RunView'>;

interface Props {
  readonly run: Run;
  /** The number of the connection that is shown; `null` is the run as a whole. */
  readonly chosen: number | null;
  readonly onChoose: (number: number | null) => void;
}

/** A run as a whole, among its connections. */
const WHOLE = 'run';

/** Chooses one of a run's TCP connections, where its captures have more than one. */
export function ConnectionChooser({ run, chosen, onChoose }: Props) {
  // Of a simulated run the captures have the flow that the run is about, and no other.
  const captured = run.testbed !== 'sim' && run.result?.files.some(({ name }) => name === 'server.pcapng');
  const query = api.useQuery(
    'get',
    '/api/v1/runs/{id}/connections',
    { params: { path: { id: run.id } } },
    { enabled: captured === true, retry: false },
  );
  if (query.error) {
    return <Failure title="The connections of the run could not be listed" error={query.error} />;
  }
  if (query.data === undefined || (query.data.total < 2 && chosen === null)) return null;
  return (
    <Select
      label={`TCP connection (the captures have ${query.data.total})`}
      maw={640}
      data={[
        { value: WHOLE, label: 'The run as a whole' },
        ...query.data.connections.map((one) => ({
          value: String(one.number),
          label: `${one.number}: ${endsOf(one)}, ${formatOctets(one.sent_bytes + one.received_bytes)}`,
        })),
      ]}
      value={chosen === null ? WHOLE : String(chosen)}
      onChange={(value) => onChoose(value === null || value === WHOLE ? null : Number(value))}
    />
  );
}

/** What one of a run's connections shows. */
export function RunConnection({ run, number }: { readonly run: Run; readonly number: number }) {
  const query = api.useQuery(
    'get',
    '/api/v1/runs/{id}/connections/{number}',
    { params: { path: { id: run.id, number } } },
    { retry: false },
  );
  return (
    <Asked
      query={query}
      failed="The connection could not be analysed"
      what={`connection ${number}`}
      rows={12}
    >
      {(analysis) => (
        <ConnectionView
          analysis={analysis}
          series={`/api/v1/runs/${run.id}/connections/${number}/series`}
          provenance={`run ${run.id}, ${run.variant} on ${run.link}, connection ${number}`}
        />
      )}
    </Asked>
  );
}

/** The connection that the address names. */
export function connectionIn(params: URLSearchParams): number | null {
  const value = params.get('connection') ?? '';
  return /^[1-9]\d{0,5}$/.test(value) ? Number(value) : null;
}
