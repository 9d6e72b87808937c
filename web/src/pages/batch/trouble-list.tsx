import { Alert, Anchor, Button, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { to } from '../../ui/links';
import { Prose } from '../../ui/prose';
import { countOf } from '../../ui/states';
import { remedy, troublesOf, type Trouble } from './troubles';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly onRetry: () => void;
  readonly busy: boolean;
}

/** Of so many runs at most the reasons are told; there are few reasons, however many runs. */
const LOOKED_AT = 200;
const STATES = ['failed', 'invalid'] as const;
/** So many runs of a reason are named. */
const NAMED = 6;

/** Why runs failed or are invalid, and what to do about it. */
export function Troubles({ batch, onRetry, busy }: Props) {
  const bad = countOf(batch.runs, ['failed', 'invalid']);
  const runs = api.useQuery(
    'get',
    '/api/v1/runs',
    {
      params: { query: { batch: batch.id, state: ['failed', 'invalid'], limit: LOOKED_AT, order: 'oldest' } },
    },
    { enabled: bad > 0 },
  );
  if (bad === 0) return null;
  const troubles = troublesOf(runs.data?.items ?? []);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={plural(bad, 'run does not count', 'runs do not count')}
    >
      <Stack gap="sm" align="flex-start">
        {STATES.map((state) => (
          <OfState key={state} state={state} troubles={troubles.filter((one) => one.state === state)} />
        ))}
        {bad > LOOKED_AT && (
          <Text size="sm" c="var(--mantine-color-text)">
            These are the reasons of the first {LOOKED_AT}; the list of runs has all.
          </Text>
        )}
        <Button
          size="xs"
          variant="default"
          loading={busy}
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={onRetry}
        >
          Try them again
        </Button>
      </Stack>
    </Alert>
  );
}

interface OfStateProps {
  readonly state: Trouble['state'];
  readonly troubles: readonly Trouble[];
}

function OfState({ state, troubles }: OfStateProps) {
  if (troubles.length === 0) return null;
  return (
    <Text component="div" size="sm" c="var(--mantine-color-text)">
      {remedy(state)}
      <List size="sm" spacing={4} mt={4}>
        {troubles.map((trouble) => (
          <One key={trouble.reason} trouble={trouble} />
        ))}
      </List>
    </Text>
  );
}

function One({ trouble: { state, reason, exact, runs } }: { readonly trouble: Trouble }) {
  return (
    <List.Item>
      <b>
        {plural(runs.length, 'run')} {state}
        {!exact && ', as'}:
      </b>{' '}
      <span style={{ overflowWrap: 'anywhere' }}>
        <Prose text={reason} />
      </span>{' '}
      –{' '}
      {runs.slice(0, NAMED).map((run, i) => (
        <span key={run.id}>
          {i > 0 && '; '}
          <Anchor component={Link} to={to.run(run.id)} size="sm" underline="always">
            {run.variant}, repetition {run.repetition}
          </Anchor>
        </span>
      ))}
      {runs.length > NAMED && ` and ${plural(runs.length - NAMED, 'other')}`}
    </List.Item>
  );
}
