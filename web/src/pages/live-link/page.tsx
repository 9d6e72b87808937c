import { Button, Code, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { Empty, Failure, Waiting } from '../../ui/asked';
import { Facts } from '../../results/facts';
import { Moment } from '../../ui/moment';
import { Muted, Notice } from '../../ui/text';
import { Page, Section } from '../../ui/page';
import { formatOctets, formatRate, groupThousands, plural } from '../../lib/format';
import { Heads, Row } from '../../ui/table';
import { notifyFailure } from '../../ui/notify';
import { clockTime } from '../../ui/time';
import { ChangeForm } from './change-form';
import { LinkCaptures } from './captures';
import { Course } from './course';
import { LoadForm } from './load-form';
import { type Reading, throughput } from './throughput';
import { EMULATOR, isWithout, useEmulator } from './use-emulator';
import { changeInWords, delayInWords, doesInWords, lostInWords, planeInWords, rateInWords } from './words';
import './live-link.css';

/** The link of the emulator that the service was told of: watched and changed while traffic passes. */
export function Component() {
  const { emulator, error, readings, again } = useEmulator();
  return (
    <Page
      title="Live link"
      about="The emulator’s link between real hosts, such as a phone or a browser: watch and change it while traffic passes."
    >
      {isWithout(error) ? (
        <Empty title="This service has no emulator">
          The appliance has an emulator, and <Code>windlull-engine emulate</Code> starts one;{' '}
          <Code>windlull serve --emulator URL</Code> makes it known to the service.
        </Empty>
      ) : error !== null ? (
        <>
          <Failure title="The state of the link could not be read" error={error} onRetry={again} />
          <Course gone />
        </>
      ) : emulator ? (
        <StandingLink emulator={emulator} readings={readings} />
      ) : (
        <Waiting what="the link" rows={10} />
      )}
    </Page>
  );
}

interface StandingLinkProps {
  readonly emulator: Schema<'EmulatorLink'>;
  readonly readings: readonly Reading[];
}

function StandingLink({ emulator, readings }: StandingLinkProps) {
  const { link, state, seed, since, plane, changes } = emulator;
  const standing = state === 'standing';
  return (
    <>
      {!standing && <Away emulator={emulator} />}
      <Restarted emulator={emulator} />
      <Section title={standing ? `Current link: ${link.name}` : 'The link'}>
        <Facts
          facts={[
            ['Link', `${link.name}: ${link.title}`],
            ['Seed', seed],
            ['Plane', planeInWords(plane)],
            [state === 'lent' ? 'Lent since' : 'In force since', <Moment at={since} />],
          ]}
        />
        <Ways emulator={emulator} readings={readings} />
      </Section>
      <Course />
      <Section title="Change it by hand">
        <ChangeForm disabled={!standing} />
      </Section>
      <Section title="Changed by hand now">
        <Changes changes={changes} />
      </Section>
      <Section title="Captures">
        <LinkCaptures />
      </Section>
      <Section title="Another link">
        <LoadForm emulator={emulator} disabled={!standing} />
      </Section>
    </>
  );
}

/** What became of the link when the emulator last began anew, if it had a link then. */
function Restarted({
  emulator: { restored, lost, started, link },
}: {
  readonly emulator: Schema<'EmulatorLink'>;
}) {
  if (lost === null && !restored) return null;
  const what = lost === null ? `the link ${link.name} was restored` : 'the previous link is lost';
  return (
    <Notice role="status" color={lost === null ? 'blue' : 'red'} title="The emulator restarted">
      It restarted <Moment at={started} />; {what}.
      {lost !== null && ` ${link.name} is in force instead: ${lost}`}
    </Notice>
  );
}

/** Why nothing can be changed now. */
function Away({ emulator: { state, run, link } }: { readonly emulator: Schema<'EmulatorLink'> }) {
  return (
    <Notice
      role="status"
      color="yellow"
      title={state === 'lent' ? 'A run is using the link' : 'The emulator is shutting down'}
    >
      {state === 'lent'
        ? `Run ${run ?? ''} plays its own link between the hosts. When it ends, ${link.name} starts again at its time zero; until then nothing can be changed.`
        : 'Its log says why; when it runs again, this page continues.'}
    </Notice>
  );
}

type DirectionState = Schema<'EmulatorDirection'>;

interface Props {
  readonly emulator: Schema<'EmulatorLink'>;
  readonly readings: readonly Reading[];
}

/** Both directions side by side: how they are, and what they have carried and lost since the link stands. */
function Ways({ emulator, readings }: Props) {
  const now = (way: 'down' | 'up') => {
    const bps = throughput(readings, way);
    return bps === null ? '…' : formatRate(bps);
  };
  const rows: readonly (readonly [string, (way: 'down' | 'up', of: DirectionState) => ReactNode])[] = [
    ['State', (_, of) => <Does way={of} />],
    ['Rate', (_, of) => rateInWords(of)],
    ['Delay, one way', (_, of) => delayInWords(of)],
    ['Carries now, about', now],
    ['Carried', (_, of) => `${plural(of.packets, 'packet')}, ${formatOctets(of.octets)}`],
    ['Lost, by cause', (_, of) => lostInWords(of)],
    ['Inside', (_, of) => plural(of.inside_packets, 'packet')],
    ['Of these queued', (_, of) => `${groupThousands(of.queued_packets)}, ${formatOctets(of.queued_octets)}`],
  ];
  return (
    <Table aria-label="Both directions of the link" verticalSpacing={6} className="ways">
      <Heads of={[null, 'Down, to the client', 'Up, to the server']} />
      <Table.Tbody>
        {rows.map(([head, cell]) => (
          <Row key={head} head={head} cells={[cell('down', emulator.down), cell('up', emulator.up)]} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Does({ way }: { readonly way: DirectionState }) {
  const delivers = !way.held && !way.dropping;
  return (
    <Text span inherit fw={600} c={delivers ? 'var(--good)' : 'var(--bad)'}>
      {doesInWords(way)}
    </Text>
  );
}

interface ChangesProps {
  readonly changes: readonly Schema<'LinkChange'>[];
}

/** What is changed by hand now, and what takes it back. */
function Changes({ changes }: ChangesProps) {
  const queries = useQueryClient();
  const after = {
    onError: (error: unknown) => notifyFailure('The change was not taken back', error),
    onSettled: () => queries.invalidateQueries(api.queryOptions('get', EMULATOR)),
  };
  const one = api.useMutation('delete', `${EMULATOR}/changes/{id}`, after);
  const all = api.useMutation('delete', `${EMULATOR}/changes`, after);
  if (changes.length === 0) {
    return <Muted>No changes by hand: the link follows its profile.</Muted>;
  }
  return (
    <>
      <ul className="lines">
        {changes.map((change) => (
          <li key={change.id}>
            <Group justify="space-between" gap="sm">
              <Text size="sm">
                {changeInWords(change)}
                <Text span inherit c="dimmed">
                  {change.until === null ? ', until it is taken back' : <Until at={change.until} />}
                </Text>
              </Text>
              <Button
                size="xs"
                aria-label={`Take back change ${change.id}`}
                loading={one.isPending && one.variables.params.path.id === change.id}
                onClick={() => {
                  one.mutate({ params: { path: { id: change.id } } });
                }}
              >
                Take back
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      {changes.length > 1 && (
        <Group>
          <Button size="xs" loading={all.isPending} onClick={() => all.mutate({})}>
            Take all back
          </Button>
        </Group>
      )}
    </>
  );
}

function Until({ at }: { readonly at: string }) {
  return (
    <>
      , until <time dateTime={at}>{clockTime(new Date(at).getTime())}</time>
    </>
  );
}
