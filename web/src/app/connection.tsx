import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';

import { useLocation } from 'react-router';

import { useConnection } from '../api/provider';
import { to } from '../ui/links';

/**
 * Says that the controller is lost, while it is; pages keep what they had. Not where the token is asked for: without it,
 * the stream of events is refused, which a browser does not tell from a lost one.
 */
export function ConnectionBanner() {
  const connection = useConnection();
  const { pathname } = useLocation();
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && pathname !== to.session && (
        <Alert
          color="yellow"
          variant="light"
          mb="md"
          icon={<IconPlugConnectedX aria-hidden />}
          title="The controller does not answer"
        >
          What you see is what was known last; nothing that was queued is lost. The page tries again by
          itself. If it stays so, look whether “windlull serve” runs.
        </Alert>
      )}
    </div>
  );
}
