import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';

import { useConnection } from '../api/provider';

/** Says that the controller is lost, while it is; pages keep what they had. */
export function ConnectionBanner() {
  const connection = useConnection();
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && (
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
