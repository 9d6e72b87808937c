import { Stack } from '@mantine/core';

import { api } from '../../api/client';
import { ConnectionList } from '../../parts/connections/list';
import { AskedConnection } from '../../parts/connections/asked';
import { ConnectionView } from '../../parts/connections/view';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { Page } from '../../ui/page';
import { Section } from '../../ui/section';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import { EndChoice, endIn, type End } from './end-choice';
import { CaptureSlots } from './slots';

/** Captures from elsewhere: their connections, and what each shows. */
export function Component() {
  const { params, change } = useAddress();
  const [first, second] = [hashIn(params, 'first'), hashIn(params, 'second')];
  const number = Number(params.get('connection') ?? '') || null;
  const end = endIn(params);
  return (
    <Page
      title="Captures"
      about="Analyse packet captures (pcap or pcapng) of one end of a TCP connection, or of both ends for a verdict on every timeout and retransmission."
    >
      <CaptureSlots
        first={first}
        second={second}
        onChange={(next) =>
          change({ first: next.first, second: next.second, connection: null, end: null }, 'push')
        }
      />
      {first !== null && <EndChoice end={end} onChange={(next) => change({ end: next }, 'push')} />}
      {first !== null && (
        <Connections
          key={`${first} ${second ?? ''}`}
          first={first}
          second={second}
          end={end}
          number={number}
          onChoose={(next) => change({ connection: String(next) }, 'push')}
        />
      )}
    </Page>
  );
}

interface Props {
  readonly first: string;
  readonly second: string | null;
  readonly end: End | null;
  readonly number: number | null;
  readonly onChoose: (number: number) => void;
}

function Connections({ first, second, end, number, onChoose }: Props) {
  const told = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}/connections',
    { params: { path: { sha256: first }, ...query(second) } },
    { retry: false },
  );
  if (told.error) {
    return (
      <Failure
        title="The captures could not be read"
        error={told.error}
        onRetry={() => void told.refetch()}
      />
    );
  }
  if (!told.data) return <Waiting what="the connections" rows={4} />;
  if (told.data.total === 0) {
    return <Empty title="No TCP connection with data">The capture contains no TCP payload.</Empty>;
  }
  const only = told.data.total === 1 ? 1 : null;
  const chosen = number ?? only;
  return (
    <Stack gap="lg">
      <Section title={told.data.total === 1 ? 'One TCP connection' : `${told.data.total} TCP connections`}>
        <ConnectionList list={told.data} chosen={chosen} onChoose={onChoose} />
      </Section>
      {chosen !== null && (
        <Analysis key={`${chosen} ${end ?? ''}`} first={first} second={second} end={end} number={chosen} />
      )}
    </Stack>
  );
}

function Analysis({ first, second, end, number }: Omit<Props, 'onChoose' | 'number'> & { number: number }) {
  const told = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}/connections/{number}',
    {
      params: {
        path: { sha256: first, number },
        query: { ...(second !== null && { other: second }), ...(end !== null && { end }) },
      },
    },
    { retry: false },
  );
  const asked = new URLSearchParams({
    ...(second !== null && { other: second }),
    ...(end !== null && { end }),
  }).toString();
  return (
    <AskedConnection number={number} asked={told}>
      {(analysis) => (
        <Section title={`Connection ${number}`}>
          <ConnectionView
            told={analysis}
            series={`/api/v1/captures/${first}/connections/${number}/series${asked === '' ? '' : `?${asked}`}`}
            provenance={`capture ${first.slice(0, 12)}${second === null ? '' : ` and ${second.slice(0, 12)}`}, connection ${number}`}
          />
        </Section>
      )}
    </AskedConnection>
  );
}

const query = (other: string | null) => (other === null ? {} : { query: { other } });

function hashIn(params: URLSearchParams, key: string): string | null {
  const value = params.get(key);
  return value !== null && /^[0-9a-f]{64}$/.test(value) ? value : null;
}
