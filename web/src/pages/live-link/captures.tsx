import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { ApiFailure } from '../../api/failure';
import { formatOctets, groupThousands } from '../../lib/format';
import { askToDelete } from '../../ui/ask-to-delete';
import { Failure } from '../../ui/failure';
import { Moment } from '../../ui/moment';
import { notifyFailure } from '../../ui/notify';
import { Waiting } from '../../ui/waiting';
import { WideTable } from '../../ui/wide-table';
import { Heads, numeric } from '../../ui/heads';

type Capture = Schema<'LinkCapture'>;

const CAPTURES = '/api/v1/emulator/captures';
/** How often the list is read while one is under way; the emulator ends it by itself. */
const EVERY_MS = 1000;
const SELDOM_MS = 10_000;

const STATES = {
  running: 'under way',
  stopped: 'stopped',
  full: 'full',
} as const satisfies Record<Capture['state'], string>;

/** Captures of the link: begun, stopped, downloaded and deleted. */
export function LinkCaptures() {
  const told = api.useQuery(
    'get',
    CAPTURES,
    {},
    {
      refetchInterval: ({ state: { data } }) =>
        data?.captures.some(({ state }) => state === 'running') === true ? EVERY_MS : SELDOM_MS,
    },
  );
  if (told.error !== null) {
    return (
      <Failure
        title="The captures could not be listed"
        error={told.error}
        onRetry={() => void told.refetch()}
      />
    );
  }
  if (!told.data) return <Waiting what="the captures" rows={3} />;
  const { unavailable, limits, captures } = told.data;
  if (unavailable !== null) {
    return (
      <Text size="sm" c="dimmed">
        Captures are not possible here: {unavailable}.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <StartForm limits={limits} running={captures.some(({ state }) => state === 'running')} />
      {captures.length > 0 && <List captures={captures} />}
    </Stack>
  );
}

function StartForm(props: { readonly limits: Schema<'LinkCaptureLimits'>; readonly running: boolean }) {
  const { limits, running } = props;
  const [limit, setLimit] = useState('');
  const [snaplen, setSnaplen] = useState('');
  const queries = useQueryClient();
  const keys = useCreationKeys();
  const start = api.useMutation('post', CAPTURES);
  const asked = { limit: limit.trim() || null, snaplen: snaplen.trim() || null };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    start.mutate(
      { body: asked, params: { header: { 'Idempotency-Key': keys.keyOf(asked) } } },
      {
        onSuccess: () => keys.done(asked),
        onSettled: () => void queries.invalidateQueries(api.queryOptions('get', CAPTURES)),
      },
    );
  };
  const problems = start.error instanceof ApiFailure ? start.error.problems : [];
  const of = (key: string) => problems.find((problem) => problem.key === key)?.message;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          All packets on both of the emulator’s devices, in one pcapng file. It ends when stopped or full:{' '}
          {formatOctets(limits.most_bytes)} at most, {limits.most_captures} captures with{' '}
          {formatOctets(limits.most_total_bytes)} together.
        </Text>
        <Group gap="sm" align="flex-start">
          <TextInput
            label="Size limit"
            placeholder={formatOctets(limits.default_bytes)}
            w={150}
            value={limit}
            error={of('limit')}
            onChange={({ currentTarget: { value } }) => setLimit(value)}
          />
          <TextInput
            label="Of each packet"
            placeholder="all of it"
            w={150}
            value={snaplen}
            error={of('snaplen')}
            onChange={({ currentTarget: { value } }) => setSnaplen(value)}
          />
        </Group>
        {start.error !== null && problems.length === 0 && (
          <Failure title="The capture was not started" error={start.error} />
        )}
        <Group>
          <Button type="submit" variant="default" loading={start.isPending} disabled={running}>
            Start a capture
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function List({ captures }: { readonly captures: readonly Capture[] }) {
  return (
    <WideTable label="Captures of the link" minWidth={640}>
      <Table verticalSpacing={4} aria-label="Captures of the link">
        <Heads of={['Capture', 'State', 'Link', 'Began', numeric('Packets'), numeric('Size'), null]} />
        <Table.Tbody>
          {captures.map((capture) => (
            <Row key={capture.id} capture={capture} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function Row({ capture }: { readonly capture: Capture }) {
  const { id, state, link, started, packets, bytes, limit_bytes, dropped } = capture;
  const queries = useQueryClient();
  const after = (title: string) => ({
    onError: (error: unknown) => notifyFailure(title, error),
    onSettled: () => queries.invalidateQueries(api.queryOptions('get', CAPTURES)),
  });
  const stop = api.useMutation('post', `${CAPTURES}/{id}/stop`, after('The capture was not stopped'));
  const remove = api.useMutation('delete', `${CAPTURES}/{id}`, after('The capture was not deleted'));
  const path = { params: { path: { id } } };
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {id}
      </Table.Th>
      <Table.Td>
        {STATES[state]}
        {dropped > 0 && `, ${groupThousands(dropped)} packets are missing`}
      </Table.Td>
      <Table.Td>{link}</Table.Td>
      <Table.Td>
        <Moment at={started} />
      </Table.Td>
      <Table.Td className="numeric">{groupThousands(packets)}</Table.Td>
      <Table.Td className="numeric">
        {formatOctets(bytes)}
        {state === 'running' && ` of ${formatOctets(limit_bytes)}`}
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {state === 'running' ? (
            <Button
              size="xs"
              variant="default"
              aria-label={`Stop capture ${id}`}
              loading={stop.isPending}
              onClick={() => stop.mutate(path)}
            >
              Stop
            </Button>
          ) : (
            <>
              <Button
                component="a"
                href={`${CAPTURES}/${id}/file`}
                download={`link-capture-${id}.pcapng`}
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} aria-hidden />}
                aria-label={`Download capture ${id}`}
              >
                Download
              </Button>
              <Button
                size="xs"
                variant="default"
                color="red"
                aria-label={`Delete capture ${id}`}
                loading={remove.isPending}
                onClick={() => {
                  askToDelete(`capture ${id}`, 'Its file is deleted from the emulator.', () =>
                    remove.mutate(path),
                  );
                }}
              >
                Delete
              </Button>
            </>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
