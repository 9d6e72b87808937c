import { Tooltip } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { RunDialog, givenOf } from '../../ui/batch/run-dialog';
import { SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly firstRun: number | null;
}

/** Runs the experiment as a new batch. Of an imported one, the experiment may not be here: its run is made again. */
export function RunAgain({ batch, firstRun }: Props) {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const queued = (made: Schema<'BatchView'>) => {
    notifyDone(`Batch ${made.id} is queued`);
    void navigate(to.batch(made.id));
  };
  if (batch.imported) return firstRun === null ? null : <Rerun run={firstRun} onQueued={queued} />;
  return (
    <>
      <SignButton sign={IconPlayerPlay} onClick={() => setOpened(true)} variant="filled">
        Run again
      </SignButton>
      <RunDialog given={givenOf(batch)} opened={opened} onClose={() => setOpened(false)} onQueued={queued} />
    </>
  );
}

function Rerun({
  run,
  onQueued,
}: {
  readonly run: number;
  readonly onQueued: (batch: Schema<'BatchView'>) => void;
}) {
  const keys = useCreationKeys();
  const rerun = api.useMutation('post', '/api/v1/runs/{id}/rerun', {
    onSuccess: (made) => {
      keys.done(run);
      onQueued(made);
    },
    onError: (error) => notifyFailure('The run could not be queued again', error),
  });
  return (
    <Tooltip label="The same files and seed, with this service’s engine">
      <SignButton
        loading={rerun.isPending}
        sign={IconPlayerPlay}
        onClick={() => {
          rerun.mutate({ params: { path: { id: run }, header: { 'Idempotency-Key': keys.keyOf(run) } } });
        }}
        variant="filled"
      >
        Run it again here
      </SignButton>
    </Tooltip>
  );
}
