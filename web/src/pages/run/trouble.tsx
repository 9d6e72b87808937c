import { Alert, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconArchive, IconBan, IconX } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { sentence } from '../../ui/failure';
import { Moment } from '../../ui/moment';
import { Prose } from '../../ui/prose';
import { endsTheSame, withLimit } from '../../ui/time-limit';

interface Props {
  readonly run: Schema<'RunTold'>;
  /** The time limit of a simulated run, where it is known. */
  readonly limitS: number | null;
}

/** Why a run came to nothing, does not count, or has no files any more; nothing if all is well. */
export function Trouble({ run, limitS }: Props) {
  const evicted = run.result?.evicted_at ?? null;
  return (
    <>
      {run.state === 'failed' && (
        <Alert variant="light" color="red" icon={<IconX aria-hidden />} title="It failed" role="status">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <Prose text={sentence(withLimit(run, limitS) ?? 'no reason is known')} />
          </Text>
          <Text size="sm" mt="xs">
            “Try again” queues it again as it is.{' '}
            {endsTheSame(run) && 'A simulated run is the same each time: it will end the same. '}If the
            experiment is to blame, change it and run it anew.
          </Text>
        </Alert>
      )}
      {run.state === 'cancelled' && (
        <Alert
          variant="light"
          color="gray"
          icon={<IconBan aria-hidden />}
          title="It was cancelled"
          role="status"
        >
          <Text size="sm">It measured nothing. “Try again” queues it again.</Text>
        </Alert>
      )}
      {run.state === 'invalid' && (
        <Alert
          variant="light"
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="It is not valid"
          role="status"
        >
          <Text size="sm">
            The link did not keep to its plan well enough, so that what happened may be the machine’s doing
            and not the link’s. The run is shown, and counts in no result and no comparison.
          </Text>
          <List size="sm" mt="xs">
            {(run.reason ?? '').split('; ').map((reason) => (
              <List.Item key={reason}>
                <Prose text={reason} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {evicted !== null && (
        <Alert
          variant="light"
          color="gray"
          icon={<IconArchive aria-hidden />}
          title="Its files are gone"
          role="status"
        >
          <Text size="sm">
            They made room for others <Moment at={evicted} />. The numbers stay; diagram, episodes and
            captures are there again once the run is made again
            {run.testbed === 'sim' && ', by the same engine with the same bytes'}.
          </Text>
        </Alert>
      )}
    </>
  );
}
