import { Group, Stack, Text } from '@mantine/core';
import { useNavigate, useParams } from 'react-router';
import { IconCalendarRepeat, IconGitFork, IconPlayerPlay, IconTargetArrow } from '@tabler/icons-react';

import { type DocumentView, useDocument } from '../../api/documents';
import { DocumentActions, DocumentHead } from '../../parts/documents/document';
import { runningLines, useOwnFiles, written } from '../../parts/own-files';
import { TomlEditor } from '../../toml/editor';
import { Asked, AskedPage, Nowhere } from '../../ui/asked';
import { Bullets, Muted } from '../../ui/text';
import { Copyable } from '../../ui/copy';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { RunDialog } from '../../ui/batch/run-dialog';
import { LinkButton, SignButton, TextLink } from '../../ui/buttons';
import { DownloadToml } from '../../ui/download-toml';
import { useAddress } from '../../ui/use-address';
import { api } from '../../api/client';
import { Row, WideTable } from '../../ui/table';
import { BatchTags } from '../../ui/batch/batch-facts';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { Claims, Parts } from './parts';

const ABOVE = [{ label: 'Experiments', to: to.experiments }];

/** One experiment: what it is, what it is made of, what came of it. */
export function Component() {
  const name = useParams()['*'] ?? '';
  return <Experiment key={name} name={name} />;
}

function Experiment({ name }: { readonly name: string }) {
  return (
    <AskedPage
      query={useDocument('experiments', name)}
      title={name}
      above={ABOVE}
      failed={`${name} could not be read`}
      what={name}
      none={<None name={name} />}
    >
      {(experiment) => <ExperimentPage experiment={experiment} />}
    </AskedPage>
  );
}

function ExperimentPage({ experiment }: { readonly experiment: DocumentView }) {
  const { name, title, origin, problems } = experiment;
  const resolved = experiment.resolved && 'claims' in experiment.resolved ? experiment.resolved : null;
  const base = resolved === null && problems.length === 0;
  const own = useOwnFiles(experiment.builds_on);
  return (
    <Page title={title || name} above={ABOVE} actions={<Actions experiment={experiment} />}>
      <DocumentHead
        document={experiment}
        name={name}
        description={resolved?.description ?? ''}
        invalid="a file that it builds on has changed since. To run it, correct its text."
      >
        {origin === 'shipped' && (
          <Muted maw="80ch">
            Shipped with Windlull and read-only, so that its results can be repeated. To change it, copy it.
          </Muted>
        )}
        {base && <Muted>A base: other experiments extend it, and it is not run itself.</Muted>}
      </DocumentHead>
      {resolved && <Parts resolved={resolved} />}
      {!base && (
        <Section title="Its runs">
          <Batches name={name} />
        </Section>
      )}
      {resolved && resolved.claims.length > 0 && <Claims claims={resolved.claims} />}
      {resolved && resolved.assumptions.length > 0 && (
        <Section title="Assumptions">
          <Bullets of={resolved.assumptions} maw="90ch" />
        </Section>
      )}
      <Section title="Text">
        <TomlEditor
          label={`${name} as TOML`}
          hideLabel
          value={experiment.toml}
          problems={problems}
          file={`experiments/${name}.toml`}
          readOnly
          minHeight="4rem"
        />
        {!base && (
          <>
            <Text size="sm">The same in a shell, without this service:</Text>
            <Copyable
              text={
                origin === 'shipped'
                  ? `windlull run ${name}`
                  : runningLines(experiment, written(own, ['experiment']), [])
              }
              what="the command"
            />
          </>
        )}
      </Section>
    </Page>
  );
}

function None({ name }: { readonly name: string }) {
  return (
    <Nowhere
      title="No such experiment"
      above={ABOVE}
      heading={`There is no experiment called ${name}`}
      go={['All experiments', to.experiments]}
    >
      The address may be mistyped, or it was deleted: then{' '}
      <TextLink to={to.history('experiment', name)}>its history</TextLink> may still have it. Its batches are
      still under Runs.
    </Nowhere>
  );
}

/** What can be done with an experiment. The address says whether the dialogue that runs it is open. */
function Actions({ experiment }: { readonly experiment: DocumentView }) {
  const { name, toml, resolved } = experiment;
  const navigate = useNavigate();
  const { params, change } = useAddress();
  return (
    <>
      <SignButton
        sign={IconPlayerPlay}
        disabled={resolved === null}
        onClick={() => change({ run: 'now' }, 'push')}
        variant="filled"
      >
        Run
      </SignButton>
      <DocumentActions
        shelf="experiments"
        document={experiment}
        stays="Its batches keep their own copy and their results; the links and variants that it names stay."
      />
      <LinkButton to={to.extending(name)} sign={IconGitFork}>
        Extend
      </LinkButton>
      <LinkButton to={to.newSearch(name)} sign={IconTargetArrow}>
        Search for its worst link
      </LinkButton>
      <LinkButton to={to.newSchedule(name)} sign={IconCalendarRepeat}>
        Schedule
      </LinkButton>
      <DownloadToml toml={toml} file={`${name.replaceAll('/', '-')}.toml`} />
      <RunDialog
        given={{ experiment: name }}
        opened={params.get('run') === 'now'}
        onClose={() => change({ run: null }, 'replace')}
        onQueued={(batch) => void navigate(to.batch(batch.id))}
      />
    </>
  );
}

/** How many of the newest are shown. */
const LIMIT = 10;

/** The newest batches of an experiment. */
function Batches({ name }: { readonly name: string }) {
  const batches = api.useQuery('get', '/api/v1/batches', {
    params: { query: { experiment: name, limit: LIMIT } },
  });
  return (
    <Asked query={batches} failed="Its batches could not be read" what="its batches" rows={2}>
      {({ items, next }) =>
        items.length === 0 ? (
          <Text size="sm">It has not been run here yet.</Text>
        ) : (
          <Stack gap="xs">
            <WideTable
              label="Batches of the experiment"
              minWidth={620}
              heads={['Batch', 'State', 'Runs', 'Repetitions, seed', 'Where', 'Made']}
            >
              {items.map((batch) => (
                <Row
                  key={batch.id}
                  head={
                    <TextLink to={to.batch(batch.id)} fw={600}>
                      {batch.id}
                    </TextLink>
                  }
                  bold
                  cells={[
                    <BatchBadge batch={batch} />,
                    batch.total,
                    <>
                      {batch.repetitions}, {batch.seed}
                    </>,
                    <BatchTags batch={batch} />,
                    <Moment at={batch.created_at} />,
                  ]}
                />
              ))}
            </WideTable>
            {next !== null && (
              <Group>
                <TextLink to={`${to.batches}?experiment=${encodeURIComponent(name)}`}>
                  All batches of it
                </TextLink>
              </Group>
            )}
          </Stack>
        )
      }
    </Asked>
  );
}
