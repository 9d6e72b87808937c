import { Button, Grid, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api } from '../../api/client';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { Fresh } from './fresh';
import { Papers } from './papers';
import { Recent } from './recent';
import { UnderWay } from './under-way';
import { WelcomeCard } from './welcome-card';

/** How many of the newest batches are looked at. */
const NEWEST = 50;
/** How many that have ended are shown. */
const ENDED = 8;

/** What is running, what ran last, and how to begin. */
export function Component() {
  const batches = api.useQuery('get', '/api/v1/batches', { params: { query: { limit: NEWEST } } });
  const items = batches.data?.items ?? [];
  const underWay = items.filter((batch) => batch.state !== 'ended');
  const ended = items.filter((batch) => batch.state === 'ended').slice(0, ENDED);
  return (
    <Page
      title="Home"
      about="What a TCP variant does on a link that misbehaves, and whether it was right."
      actions={
        <Button component={Link} to={to.newExperiment} leftSection={<IconPlus size={16} aria-hidden />}>
          New experiment
        </Button>
      }
    >
      {batches.isError && items.length === 0 ? (
        <Failure
          title="The batches could not be read"
          error={batches.error}
          onRetry={() => void batches.refetch()}
        />
      ) : batches.isPending ? (
        <Waiting what="what runs" rows={6} />
      ) : items.length === 0 ? (
        <Fresh />
      ) : (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="lg">
              <UnderWay batches={underWay} />
              <Recent batches={ended} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="lg">
              <WelcomeCard />
              <Papers />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}
