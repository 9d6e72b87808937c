import { Alert, Code, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { Empty } from '../../ui/empty';
import { Facts } from '../../ui/facts';
import { Failure } from '../../ui/failure';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';
import { ChangeForm } from './change-form';
import { LinkCaptures } from './captures';
import { Changes } from './changes';
import { Course } from './course';
import { LoadForm } from './load-form';
import type { Reading } from './throughput';
import { isWithout, useEmulator } from './use-emulator';
import { Ways } from './ways';
import { planeInWords } from './words';
import './live-link.css';

/** The link of the emulator that the service was told of: watched and changed while traffic passes. */
export function Component() {
  const { told, error, readings, again } = useEmulator();
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
      ) : told ? (
        <Told told={told} readings={readings} />
      ) : (
        <Waiting what="the link" rows={10} />
      )}
    </Page>
  );
}

interface ToldProps {
  readonly told: Schema<'EmulatorLink'>;
  readonly readings: readonly Reading[];
}

function Told({ told, readings }: ToldProps) {
  const { link, state, seed, since, plane, changes } = told;
  const standing = state === 'standing';
  return (
    <>
      {!standing && <Away told={told} />}
      <Restarted told={told} />
      <Section title={standing ? `Current link: ${link.name}` : 'The link'}>
        <Facts
          facts={[
            ['Link', `${link.name}: ${link.title}`],
            ['Seed', seed],
            ['Plane', planeInWords(plane)],
            [
              state === 'lent' ? 'Lent' : 'In force',
              <>
                since <Moment at={since} />
              </>,
            ],
          ]}
        />
        <Ways told={told} readings={readings} />
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
        <LoadForm told={told} disabled={!standing} />
      </Section>
    </>
  );
}

/** What became of the link when the emulator last began anew, if it had a link then. */
function Restarted({ told: { restored, lost, started, link } }: { readonly told: Schema<'EmulatorLink'> }) {
  if (lost === null && !restored) return null;
  const what = lost === null ? `the link ${link.name} was restored` : 'the previous link is lost';
  return (
    <Alert
      role="status"
      color={lost === null ? 'blue' : 'red'}
      variant="light"
      title="The emulator restarted"
    >
      <Text size="sm" c="var(--mantine-color-text)">
        It restarted <Moment at={started} />; {what}.
        {lost !== null && ` ${link.name} is in force instead: ${lost}`}
      </Text>
    </Alert>
  );
}

/** Why nothing can be changed now. */
function Away({ told: { state, run, link } }: { readonly told: Schema<'EmulatorLink'> }) {
  return (
    <Alert
      role="status"
      color="yellow"
      variant="light"
      title={state === 'lent' ? 'A run is using the link' : 'The emulator is shutting down'}
    >
      <Text size="sm" c="var(--mantine-color-text)">
        {state === 'lent'
          ? `Run ${run ?? ''} plays its own link between the hosts. When it ends, ${link.name} starts again at its time zero; until then nothing can be changed.`
          : 'Its log says why; when it runs again, this page continues.'}
      </Text>
    </Alert>
  );
}
