import { SegmentedControl, Stack, Text } from '@mantine/core';

import { api } from '../../api/client';
import { ConnectionList } from '../../parts/connections/list';
import { ConnectionView } from '../../parts/connections/view';
import { Asked, Empty } from '../../ui/asked';
import { Page, Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { CaptureSlots, type Capture } from './slots';

/** Captures from elsewhere: their connections, and what each shows. */
export function Component() {
  const { params, change } = useAddress();
  const [captured, other] = [captureIn(params, 'first'), captureIn(params, 'second')];
  const [first, second] = [captured?.sha256 ?? null, other?.sha256 ?? null];
  const number = Number(params.get('connection') ?? '') || null;
  const end = endIn(params);
  return (
    <Page
      title="Captures"
      about="Analyse packet captures (pcap or pcapng) of TCP, or qlog files of QUIC: of one end of a connection, or of both ends for a verdict on every timeout and retransmission."
    >
      <CaptureSlots
        first={captured}
        second={other}
        onChange={(next) =>
          change(
            {
              first: next.first?.sha256 ?? null,
              'first-name': next.first?.name ?? null,
              second: next.second?.sha256 ?? null,
              'second-name': next.second?.name ?? null,
              connection: null,
              end: null,
            },
            'push',
          )
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
  const answer = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}/connections',
    { params: { path: { sha256: first }, ...query(second) } },
    { retry: false },
  );
  return (
    <Asked query={answer} failed="The captures could not be read" what="the connections">
      {(list) => {
        if (list.total === 0) {
          return <Empty title="No TCP connection with data">The capture contains no TCP payload.</Empty>;
        }
        const kind = `${list.protocol === 'quic' ? 'QUIC' : 'TCP'} connection`;
        const chosen = number ?? (list.total === 1 ? 1 : null);
        return (
          <Stack gap="lg">
            <Section title={list.total === 1 ? `One ${kind}` : `${list.total} ${kind}s`}>
              <ConnectionList list={list} chosen={chosen} onChoose={onChoose} />
            </Section>
            {chosen !== null && (
              <Analysis key={`${chosen} ${end ?? ''}`} {...{ first, second, end }} number={chosen} />
            )}
          </Stack>
        );
      }}
    </Asked>
  );
}

function Analysis({ first, second, end, number }: Omit<Props, 'onChoose' | 'number'> & { number: number }) {
  const answer = api.useQuery(
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
    <Asked
      query={answer}
      failed="The connection could not be analysed"
      what={`connection ${number}`}
      rows={12}
    >
      {(analysis) => (
        <Section title={`Connection ${number}`}>
          <ConnectionView
            analysis={analysis}
            series={`/api/v1/captures/${first}/connections/${number}/series${asked === '' ? '' : `?${asked}`}`}
            provenance={`capture ${first.slice(0, 12)}${second === null ? '' : ` and ${second.slice(0, 12)}`}, connection ${number}`}
          />
        </Section>
      )}
    </Asked>
  );
}

const query = (other: string | null) => (other === null ? {} : { query: { other } });

/** The capture that an address names, with the name of its file: the service knows it by its hash alone. */
function captureIn(params: URLSearchParams, key: 'first' | 'second'): Capture | null {
  const sha256 = params.get(key);
  if (sha256 === null || !/^[0-9a-f]{64}$/.test(sha256)) return null;
  return { sha256, name: params.get(`${key}-name`) };
}

/** Where a capture was made. */
type End = 'server' | 'client';

const UNSAID = 'unsaid';

const CHOICES = [
  { value: UNSAID, label: 'From the file' },
  { value: 'server', label: 'Data sender' },
  { value: 'client', label: 'Data receiver' },
];

interface EndChoiceProps {
  readonly end: End | null;
  readonly onChange: (next: End | null) => void;
}

/** At which end the first capture was made: what the files tell, or what somebody knows better. */
function EndChoice({ end, onChange }: EndChoiceProps) {
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" fw={500} id="capture-end">
        The first capture was made at
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby="capture-end"
        data={CHOICES}
        value={end ?? UNSAID}
        onChange={(next) => onChange(endOf(next))}
      />
      <Text size="xs" c="dimmed">
        If the file does not say, the analysis guesses from the handshake’s times and adds a note.
      </Text>
    </Stack>
  );
}

/** The end that an address names. */
const endIn = (params: URLSearchParams): End | null => endOf(params.get('end'));

const endOf = (word: string | null): End | null => (word === 'server' || word === 'client' ? word : null);
