import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { Link } from 'react-router';

import { to } from '../../ui/links';

/** The way to the guided first experiment. */
export function WelcomeCard() {
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
        <Button
          component={Link}
          to={to.welcome}
          variant="default"
          leftSection={<IconRoute size={16} aria-hidden />}
        >
          Begin
        </Button>
      </Stack>
    </Paper>
  );
}
