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
      about="The emulator’s link between real hosts, as a phone or a browser behind it: seen and changed while traffic passes."
    >
      {isWithout(error) ? (
        <Empty title="This service has no emulator">
          A link between real hosts stands in the appliance, or where <Code>windlull-engine emulate</Code>{' '}
          runs; <Code>windlull serve --emulator URL</Code> tells the service of it.
        </Empty>
      ) : error !== null ? (
        <>
          <Failure title="How the link is cannot be read" error={error} onRetry={again} />
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
      <Section title={standing ? `${link.name} stands` : 'The link'}>
        <Facts
          facts={[
            ['Link', `${link.name}: ${link.title}`],
            ['Seed', seed],
            ['Plane', planeInWords(plane)],
            [
              state === 'lent' ? 'Lent' : 'Stands',
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
  const what = lost === null ? `the link ${link.name} was restored` : 'the link that stood is lost';
  return (
    <Alert
      role="status"
      color={lost === null ? 'blue' : 'red'}
      variant="light"
      title="The emulator restarted"
    >
      <Text size="sm" c="var(--mantine-color-text)">
        It restarted <Moment at={started} />; {what}.
        {lost !== null && ` ${link.name} stands instead: ${lost}`}
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
      title={state === 'lent' ? 'A run has the link' : 'The link does not stand'}
    >
      <Text size="sm" c="var(--mantine-color-text)">
        {state === 'lent'
          ? `Run ${run ?? ''} plays a link of its own between the hosts. When it ends, ${link.name} stands again and begins anew; until then nothing can be changed.`
          : 'The emulator ends. Its log says why; once it runs again this page goes on.'}
      </Text>
    </Alert>
  );
}
