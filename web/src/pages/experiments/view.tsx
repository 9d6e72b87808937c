import './experiments.css';

import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';

import { useDocument, type DocumentTold } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { TomlEditor } from '../../toml/editor';
import { Copyable } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Failure, Problems } from '../../ui/failure';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { Prose } from '../../ui/prose';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';
import { Actions } from './actions';
import { Batches } from './batches';
import { Claims, Parts } from './parts';
import { readResolved } from './resolved';

const ABOVE = [{ label: 'Experiments', to: to.experiments }];

/** One experiment: what it is, what it is made of, what came of it. */
export function Component() {
  const name = useParams()['*'] ?? '';
  return <Experiment key={name} name={name} />;
}

function Experiment({ name }: { readonly name: string }) {
  const { data, error, refetch } = useDocument('experiments', name);
  if (data) return <Told experiment={data} />;
  // A name that cannot be one is refused as such; for who follows a link that is the same as none.
  if (error instanceof ApiFailure && (error.status === 404 || error.status === 422))
    return <Nowhere name={name} />;
  return (
    <Page title={name} above={ABOVE}>
      {error !== null ? (
        <Failure title={`${name} could not be read`} error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting what={name} rows={10} />
      )}
    </Page>
  );
}

function Told({ experiment }: { readonly experiment: DocumentTold }) {
  const { name, title, origin, revision, updated_at, source, problems } = experiment;
  const resolved = readResolved(experiment.resolved);
  return (
    <Page title={title || name} above={ABOVE} actions={<Actions experiment={experiment} />}>
      <Stack gap={4}>
        <Group gap="xs">
          <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Badge variant="outline" c="var(--mantine-color-text)" tt="none">
            {origin}
          </Badge>
          {updated_at !== null && revision !== null && (
            <Text size="sm" c="dimmed">
              revision {revision}, <Moment at={updated_at} />
            </Text>
          )}
        </Group>
        {resolved.description !== '' && <Text maw="80ch">{resolved.description}</Text>}
        {source !== '' && (
          <Text size="sm" c="dimmed" maw="80ch">
            Source: {source}
          </Text>
        )}
        {origin === 'shipped' && (
          <Text size="sm" c="dimmed" maw="80ch">
            Shipped with Windlull and read-only, so that its results can be repeated. To change it, copy it.
          </Text>
        )}
      </Stack>
      {problems.length > 0 && (
        <Alert color="red" variant="light" title="This experiment is no longer valid">
          <Stack gap="xs">
            <Text size="sm" c="var(--mantine-color-text)">
              It was valid when it was saved; a file that it builds on has changed since. To run it, correct
              its text.
            </Text>
            <Problems problems={problems} />
          </Stack>
        </Alert>
      )}
      {experiment.resolved !== null && <Parts resolved={resolved} />}
      <Section title="Its runs">
        <Batches name={name} />
      </Section>
      {resolved.claims.length > 0 && <Claims resolved={resolved} />}
      {resolved.assumptions.length > 0 && (
        <Section title="Assumptions">
          <Text component="ul" size="sm" m={0} pl="lg" maw="90ch">
            {resolved.assumptions.map((line) => (
              <li key={line}>
                <Prose text={line} />
              </li>
            ))}
          </Text>
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
        {origin === 'shipped' && (
          <>
            <Text size="sm">The same in a shell, without this service:</Text>
            <Copyable text={`windlull run ${name}`} what="the command" />
          </>
        )}
      </Section>
    </Page>
  );
}

function Nowhere({ name }: { readonly name: string }) {
  return (
    <Page title="No such experiment" above={ABOVE}>
      <Empty
        title={`There is no experiment called ${name}`}
        action={
          <Button component={Link} to={to.experiments} mt="sm">
            All experiments
          </Button>
        }
      >
        It may have been deleted, or the address was mistyped. Its batches are still under Runs.
      </Empty>
    </Page>
  );
}
