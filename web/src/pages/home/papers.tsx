import { Anchor, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';

import { api } from '../../api/client';
import { plural } from '../../lib/format';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Waiting } from '../../ui/waiting';
import { DEPENDS, tally } from '../papers/tally';

/** The papers whose experiments can be run. */
export function Papers() {
  const papers = api.useQuery('get', '/api/v1/papers');
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="papers">
      <Stack gap="xs">
        <Group justify="space-between" align="baseline">
          <Title order={2} size="h4" id="papers">
            Papers
          </Title>
          <Anchor component={Link} to={to.papers} size="sm">
            All papers
          </Anchor>
        </Group>
        <Text size="sm" c="dimmed">
          Published experiments, ready to run: the paper’s numbers beside ours, and a grade for each of its
          statements. {DEPENDS}
        </Text>
        {papers.isPending && <Waiting what="the papers" rows={3} />}
        {papers.isError && !papers.data && (
          <Failure
            title="The papers could not be read"
            error={papers.error}
            onRetry={() => void papers.refetch()}
          />
        )}
        <List size="sm" spacing={4} listStyleType="none">
          {papers.data?.items.map(({ name, experiments }) => (
            <List.Item key={name}>
              <Anchor component={Link} to={to.paper(name)} size="sm" underline="always">
                {name}
              </Anchor>{' '}
              <Text span size="sm" c="dimmed">
                {plural(experiments.length, 'experiment')}
                <Grades name={name} />
              </Text>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Paper>
  );
}

/** How many of a paper's statements have which grade by the runs here; nothing before the first. */
function Grades({ name }: { readonly name: string }) {
  const { data } = api.useQuery('get', '/api/v1/papers/{paper}', { params: { path: { paper: name } } });
  const told = data && tally(data);
  return told && told.run > 0 ? `: ${told.words}` : null;
}
