import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { ApiFailure } from '../../api/failure';
import { formatOctets, groupThousands } from '../../lib/format';
import { askToDelete } from '../../ui/ask';
import { Asked, Failure } from '../../ui/asked';
import { DownloadButton } from '../../ui/buttons';
import { Moment } from '../../ui/moment';
import { Muted } from '../../ui/text';
import { notifyFailure } from '../../ui/notify';
import { Row, WideTable, numeric } from '../../ui/table';

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
  const query = api.useQuery(
    'get',
    CAPTURES,
    {},
    {
      refetchInterval: ({ state: { data } }) =>
        data?.captures.some(({ state }) => state === 'running') === true ? EVERY_MS : SELDOM_MS,
    },
  );
  return (
    <Asked query={query} failed="The captures could not be listed" what="the captures" rows={3}>
      {({ unavailable, limits, captures }) =>
        unavailable !== null ? (
          <Muted>Captures are not possible here: {unavailable}.</Muted>
        ) : (
          <Stack gap="sm">
            <StartForm limits={limits} running={captures.some(({ state }) => state === 'running')} />
            {captures.length > 0 && <List captures={captures} />}
          </Stack>
        )
      }
    </Asked>
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
        <Muted>
          All packets on both of the emulator’s devices, in one pcapng file. It ends when stopped or full:{' '}
          {formatOctets(limits.most_bytes)} at most, {limits.most_captures} captures with{' '}
          {formatOctets(limits.most_total_bytes)} together.
        </Muted>
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
          <Button type="submit" loading={start.isPending} disabled={running}>
            Start a capture
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function List({ captures }: { readonly captures: readonly Capture[] }) {
  return (
    <WideTable
      label="Captures of the link"
      minWidth={640}
      verticalSpacing={4}
      heads={['Capture', 'State', 'Link', 'Began', numeric('Packets'), numeric('Size'), null]}
    >
      {captures.map((capture) => (
        <Line key={capture.id} capture={capture} />
      ))}
    </WideTable>
  );
}

function Line({ capture }: { readonly capture: Capture }) {
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
    <Row
      head={id}
      cells={[
        <>
          {STATES[state]}
          {dropped > 0 && `, ${groupThousands(dropped)} packets are missing`}
        </>,
        link,
        <Moment at={started} />,
        numeric(groupThousands(packets)),
        numeric(
          <>
            {formatOctets(bytes)}
            {state === 'running' && ` of ${formatOctets(limit_bytes)}`}
          </>,
        ),
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {state === 'running' ? (
            <Button
              size="xs"
              aria-label={`Stop capture ${id}`}
              loading={stop.isPending}
              onClick={() => stop.mutate(path)}
            >
              Stop
            </Button>
          ) : (
            <>
              <DownloadButton
                href={`${CAPTURES}/${id}/file`}
                download={`link-capture-${id}.pcapng`}
                aria-label={`Download capture ${id}`}
              >
                Download
              </DownloadButton>
              <Button
                size="xs"
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
        </Group>,
      ]}
    />
  );
}
