import { Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { api, type Schema } from '../../api/client';
import { momentInWords } from '../../ui/rounds';
import { Asked, Empty } from '../../ui/asked';
import { SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { RoundBadge } from '../../ui/round-badge';
import { Row, WideTable } from '../../ui/table';
import { useAddress } from '../../ui/use-address';
import { ScheduleDialog } from './form';

const LIMIT = 50;

/** All schedules, newest first. */
export function Component() {
  const { params } = useAddress();
  const navigate = useNavigate();
  const after = params.get('after');
  const [opened, { open, close }] = useDisclosure(params.has('experiment'));
  const schedules = api.useQuery(
    'get',
    '/api/v1/schedules',
    { params: { query: { limit: LIMIT, ...(after !== null && { cursor: after }) } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Page
      title="Schedules"
      about="Experiments that run at set times, or when something was pushed. Each batch is judged by a gate, and who wants to know of a failure is told."
      actions={
        <SignButton sign={IconPlus} variant="filled" onClick={open}>
          New schedule
        </SignButton>
      }
    >
      <ScheduleDialog
        opened={opened}
        onClose={close}
        experiment={params.get('experiment')}
        onDone={({ id }) => void navigate(to.schedule(id))}
      />
      <Asked query={schedules} failed="The schedules could not be read" what="the schedules" rows={6}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="Nothing is scheduled yet">
              Choose an experiment, when it is to run, and what counts as a failure.
            </Empty>
          ) : (
            <Stack>
              <Lines schedules={items} />
              <Pager of="schedules" next={next} />
            </Stack>
          )
        }
      </Asked>
    </Page>
  );
}

function Lines({ schedules }: { readonly schedules: readonly Schema<'ScheduleView'>[] }) {
  return (
    <WideTable
      label="Schedules"
      minWidth={640}
      verticalSpacing="sm"
      heads={['Schedule', 'When', 'Next', 'Last', 'Asked for']}
    >
      {schedules.map((schedule) => (
        <Row
          key={schedule.id}
          head={
            <Stack gap={2}>
              <TextLink to={to.schedule(schedule.id)} fw={600}>
                {schedule.name}
              </TextLink>
              <Text size="xs" c="dimmed">
                {schedule.experiment}
              </Text>
            </Stack>
          }
          cells={[
            schedule.words ?? 'on request',
            nextInWords(schedule),
            schedule.last === null ? 'not run yet' : <RoundBadge key="last" round={schedule.last} />,
            schedule.last === null ? null : <Moment key="at" at={schedule.last.asked_at} />,
          ]}
        />
      ))}
    </WideTable>
  );
}

function nextInWords({ paused, next_at: next }: Schema<'ScheduleView'>): string {
  if (paused) return 'paused';
  return next === null ? '' : momentInWords(next);
}
