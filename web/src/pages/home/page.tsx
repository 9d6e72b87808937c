import { Grid, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { Asked } from '../../ui/asked';
import { LinkButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { BatchTags } from '../../ui/batch/batch-facts';
import { Moment } from '../../ui/moment';
import { StateBar } from '../../ui/state-bar';
import { Heads } from '../../ui/table';
import { plural } from '../../lib/format';
import { Muted } from '../../ui/text';
import { DEPENDS, tally } from '../papers/tally';
import { UnderWay } from './under-way';

/** How many of the newest batches are looked at. */
const NEWEST = 50;
/** How many that have ended are shown. */
const ENDED = 8;

/** What is running, what ran last, and how to begin. */
export function Component() {
  const batches = api.useQuery('get', '/api/v1/batches', { params: { query: { limit: NEWEST } } });
  return (
    <Page
      title="Home"
      about="What a TCP variant does on a link that misbehaves, and whether it was right."
      actions={
        <LinkButton to={to.newExperiment} sign={IconPlus} variant="filled">
          New experiment
        </LinkButton>
      }
    >
      <Asked query={batches} failed="The batches could not be read" what="what runs" rows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <Fresh />
          ) : (
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 8 }}>
                <Stack gap="lg">
                  <UnderWay batches={items.filter(({ state }) => state !== 'ended')} />
                  <Recent batches={items.filter(({ state }) => state === 'ended').slice(0, ENDED)} />
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 4 }}>
                <Stack gap="lg">
                  <WelcomeCard />
                  <Papers />
                </Stack>
              </Grid.Col>
            </Grid>
          )
        }
      </Asked>
    </Page>
  );
}

/** What stands on the first page before anything was run. */
function Fresh() {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack component="section" aria-labelledby="fresh" py={{ base: 'sm', md: 'xl' }} maw="62ch">
          <Title order={2} id="fresh">
            Nothing has been run here yet
          </Title>
          <Text size="lg">
            In five minutes you make a GPRS link stop for three seconds, let three variants of TCP meet it ten
            times each, and see in a diagram which of them retransmitted what need not have been.
          </Text>
          <Group>
            <LinkButton to={to.welcome} size="md" sign={IconRoute} variant="filled">
              First experiment in five minutes
            </LinkButton>
            <LinkButton to={to.newExperiment} size="md" sign={IconPlus}>
              New experiment
            </LinkButton>
          </Group>
          <Text c="dimmed">
            Or import a capsule, one file that contains all of a run, from another machine: drop it on the
            page “Runs”.
          </Text>
          <Text c="dimmed">Batches appear here while they are under way.</Text>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Papers />
      </Grid.Col>
    </Grid>
  );
}

/** The last batches that have ended. */
function Recent({ batches }: { readonly batches: readonly Schema<'BatchView'>[] }) {
  if (batches.length === 0) return null;
  return (
    <Section title="Last results" beside={<TextLink to={to.batches}>All runs</TextLink>}>
      <Table verticalSpacing="sm" layout="fixed" aria-label="Last results">
        <Heads of={['Experiment', { children: 'Runs', w: '42%' }]} />
        <Table.Tbody>
          {batches.map((batch) => (
            <Table.Tr key={batch.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <TextLink to={to.batch(batch.id)} fw={600}>
                  {batch.title || batch.experiment}
                </TextLink>
                <Group gap={6} mt={4}>
                  <BatchTags batch={batch} />
                  <Text size="xs" c="dimmed" span>
                    batch {batch.id}, <Moment at={batch.created_at} />
                  </Text>
                </Group>
              </Table.Td>
              <Table.Td>
                <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

/** The way to the guided first experiment. */
function WelcomeCard() {
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="first-experiment">
      <Stack gap="xs" align="flex-start">
        <Title order={2} size="h4" id="first-experiment">
          A first experiment in five minutes
        </Title>
        <Text size="sm">
          A link that stops for three seconds, three variants of TCP, ten repetitions: see which of them takes
          the delay for a loss, and what that costs.
        </Text>
        <LinkButton to={to.welcome} sign={IconRoute}>
          Begin
        </LinkButton>
      </Stack>
    </Paper>
  );
}

/** The papers whose experiments can be run. */
function Papers() {
  const papers = api.useQuery('get', '/api/v1/papers');
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="papers">
      <Stack gap="xs">
        <Group justify="space-between" align="baseline">
          <Title order={2} size="h4" id="papers">
            Papers
          </Title>
          <TextLink to={to.papers}>All papers</TextLink>
        </Group>
        <Muted>
          Published experiments, ready to run: the paper’s numbers beside ours, and a grade for each of its
          statements. {DEPENDS}
        </Muted>
        <Asked query={papers} failed="The papers could not be read" what="the papers" rows={3}>
          {({ items }) => (
            <List size="sm" spacing={4} listStyleType="none">
              {items.map(({ name, experiments }) => (
                <List.Item key={name}>
                  <TextLink to={to.paper(name)} underline="always">
                    {name}
                  </TextLink>{' '}
                  <Muted span>
                    {plural(experiments.length, 'experiment')}
                    <Grades name={name} />
                  </Muted>
                </List.Item>
              ))}
            </List>
          )}
        </Asked>
      </Stack>
    </Paper>
  );
}

/** How many of a paper's statements have which grade by the runs here; nothing before the first. */
function Grades({ name }: { readonly name: string }) {
  const { data } = api.useQuery('get', '/api/v1/papers/{paper}', { params: { path: { paper: name } } });
  const counts = data && tally(data);
  return counts && counts.run > 0 ? `: ${counts.words}` : null;
}
