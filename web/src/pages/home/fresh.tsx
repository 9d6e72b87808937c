import { Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { Link } from 'react-router';

import { to } from '../../ui/links';
import { Papers } from './papers';

/** What stands on the first page before anything was run. */
export function Fresh() {
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
            <Button
              component={Link}
              to={to.welcome}
              size="md"
              leftSection={<IconRoute size={18} aria-hidden />}
            >
              First experiment in five minutes
            </Button>
            <Button
              component={Link}
              to={to.newExperiment}
              size="md"
              variant="default"
              leftSection={<IconPlus size={18} aria-hidden />}
            >
              New experiment
            </Button>
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
