import { List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Notice, Prose } from '../../ui/text';
import { countOf } from '../../ui/states';
import { endsTheSame, withLimit } from '../../ui/time-limit';
import { remedy, troublesOf, type Trouble } from './troubles';
import { useResolved } from '../../parts/use-resolved';

interface Props {
  readonly batch: Schema<'BatchView'>;
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
  const limitS = useResolved(batch.id).data?.timeLimitS ?? null;
  if (bad === 0) return null;
  const items = runs.data?.items ?? [];
  const troubles = troublesOf(items);
  // Beyond those that were looked at nobody knows.
  const again = bad > LOOKED_AT || !items.every(endsTheSame);
  return (
    <Notice
      color="red"
      sign={IconAlertTriangle}
      title={plural(bad, 'run does not count', 'runs do not count')}
    >
      <Stack gap="sm" align="flex-start">
        {STATES.map((state) => (
          <OfState
            key={state}
            state={state}
            troubles={troubles.filter((one) => one.state === state)}
            limitS={limitS}
          />
        ))}
        {bad > LOOKED_AT && (
          <Text size="sm" c="var(--mantine-color-text)">
            These are the reasons of the first {LOOKED_AT}; the list of runs has the rest.
          </Text>
        )}
        {again && (
          <SignButton size="xs" loading={busy} sign={IconRefresh} onClick={onRetry}>
            Try them again
          </SignButton>
        )}
      </Stack>
    </Notice>
  );
}

interface OfStateProps {
  readonly state: Trouble['state'];
  readonly troubles: readonly Trouble[];
  /** The time limit of a run, where it is known. */
  readonly limitS: number | null;
}

function OfState({ state, troubles, limitS }: OfStateProps) {
  if (troubles.length === 0) return null;
  return (
    <Text component="div" size="sm" c="var(--mantine-color-text)">
      {remedy(
        state,
        troubles.flatMap(({ runs }) => runs),
      )}
      <List size="sm" spacing={4} mt={4}>
        {troubles.map((trouble) => (
          <One key={trouble.reason} trouble={trouble} limitS={limitS} />
        ))}
      </List>
    </Text>
  );
}

interface OneProps {
  readonly trouble: Trouble;
  readonly limitS: number | null;
}

function One({ trouble: { state, reason, exact, runs }, limitS }: OneProps) {
  return (
    <List.Item>
      <b>
        {plural(runs.length, 'run')} {state}
        {!exact && ', as'}:
      </b>{' '}
      <span style={{ overflowWrap: 'anywhere' }}>
        <Prose text={withLimit({ reason, testbed: runs[0].testbed }, limitS) ?? reason} />
      </span>{' '}
      –{' '}
      {runs.slice(0, NAMED).map((run, i) => (
        <span key={run.id}>
          {i > 0 && '; '}
          <TextLink to={to.run(run.id)} underline="always">
            {run.variant}, repetition {run.repetition}
          </TextLink>
        </span>
      ))}
      {runs.length > NAMED && ` and ${plural(runs.length - NAMED, 'other')}`}
    </List.Item>
  );
}
