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
        <Alert variant="light" color="red" icon={<IconX aria-hidden />} title="The run failed" role="status">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <Prose text={sentence(withLimit(run, limitS) ?? 'no reason is known')} />
          </Text>
          <Text size="sm" mt="xs">
            “Try again” queues it again, unchanged.{' '}
            {endsTheSame(run) && 'A simulated run is the same every time and will fail again. '}If the
            experiment is the cause, change it and run it again.
          </Text>
        </Alert>
      )}
      {run.state === 'cancelled' && (
        <Alert
          variant="light"
          color="gray"
          icon={<IconBan aria-hidden />}
          title="The run was cancelled"
          role="status"
        >
          <Text size="sm">It has no result. “Try again” queues it again.</Text>
        </Alert>
      )}
      {run.state === 'invalid' && (
        <Alert
          variant="light"
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="The run is not valid"
          role="status"
        >
          <Text size="sm">
            The link deviated too far from its plan, so the machine rather than the link may have caused what
            happened. Results and comparisons exclude the run.
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
          title="The run’s files were removed"
          role="status"
        >
          <Text size="sm">
            They were removed <Moment at={evicted} /> to make room. The numbers remain; run it again to
            restore diagram, episodes and captures{' '}
            {run.testbed === 'sim' && ', with the same engine byte for byte'}.
          </Text>
        </Alert>
      )}
    </>
  );
}
