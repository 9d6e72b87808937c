import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';

import { useLocation } from 'react-router';

import { useConnection, useRefusal } from '../api/provider';
import { sentence } from '../ui/failure';
import { to } from '../ui/links';

/**
 * Says that the controller is lost, while it is, or why it does not tell what happens; pages keep what they had. Not
 * where the token is asked for: without it, the stream of events is refused.
 */
export function ConnectionBanner() {
  const connection = useConnection();
  const refusal = useRefusal();
  const { pathname } = useLocation();
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && pathname !== to.session && (
        <Alert
          color="yellow"
          variant="light"
          mb="md"
          icon={<IconPlugConnectedX aria-hidden />}
          title={refusal === null ? 'The controller does not answer' : 'This page is not being updated'}
        >
          {refusal !== null && `${sentence(new Error(refusal))} `}
          The page shows the last known state and reconnects by itself. Queued runs are not lost.
          {refusal === null && ' If this persists, check that “windlull serve” is running.'}
        </Alert>
      )}
    </div>
  );
}
