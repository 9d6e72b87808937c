import { Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCopy, IconDownload, IconEdit, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';

import { useKeeper, type DocumentTold } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { RunDialog } from '../../ui/batch/run-dialog';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { notifyDone } from '../../ui/notify';
import { saveBlob } from '../../ui/save';
import { useAddress } from '../../ui/use-address';

/** What can be done with an experiment. The address says whether the dialogue that runs it is open. */
export function Actions({ experiment }: { readonly experiment: DocumentTold }) {
  const { name, toml, revision, resolved } = experiment;
  const navigate = useNavigate();
  const { params, change } = useAddress();
  return (
    <>
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        disabled={resolved === null}
        onClick={() => {
          change({ run: 'now' }, 'push');
        }}
      >
        Run
      </Button>
      <Button
        component={Link}
        to={to.newExperimentFrom(name)}
        variant="default"
        leftSection={<IconCopy size={16} aria-hidden />}
      >
        Copy
      </Button>
      {revision !== null && (
        <>
          <Button
            component={Link}
            to={to.editExperiment(name)}
            variant="default"
            leftSection={<IconEdit size={16} aria-hidden />}
          >
            Edit
          </Button>
          <Delete name={name} revision={revision} />
        </>
      )}
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => {
          saveBlob(new Blob([toml], { type: 'application/toml' }), `${name.replaceAll('/', '-')}.toml`);
        }}
      >
        Download TOML
      </Button>
      <RunDialog
        given={{ experiment: name }}
        opened={params.get('run') === 'now'}
        onClose={() => {
          change({ run: null }, 'replace');
        }}
        onQueued={(batch) => {
          void navigate(to.batch(batch.id));
        }}
      />
    </>
  );
}

interface DeleteProps {
  readonly name: string;
  readonly revision: number;
}

function Delete({ name, revision }: DeleteProps) {
  const keeper = useKeeper('experiments');
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await keeper.remove(name, revision);
      notifyDone(`The experiment ${name} is deleted`);
      await navigate(to.experiments);
    } catch (error) {
      setBusy(false);
      refused(name, error);
    }
  };
  return (
    <Button
      variant="default"
      loading={busy}
      leftSection={<IconTrash size={16} aria-hidden />}
      onClick={() => {
        modals.openConfirmModal({
          title: `Delete ${name}?`,
          children: (
            <Text size="sm">
              This cannot be undone. Batches that were made of it keep their own copy and their results; links
              and variants that it names stay.
            </Text>
          ),
          labels: { confirm: 'Delete', cancel: 'Keep it' },
          confirmProps: { color: 'red' },
          onConfirm: () => void remove(),
        });
      }}
    >
      Delete
    </Button>
  );
}

/** Says why an experiment was not deleted, where it was asked for. */
function refused(name: string, error: unknown): void {
  const changed = error instanceof ApiFailure && error.code === 'changed-meanwhile';
  modals.open({
    title: `${name} was not deleted`,
    children: (
      <Stack>
        <Failure title={changed ? 'It was changed meanwhile' : 'That did not work'} error={error} />
        {changed && (
          <Text size="sm">The page shows it as it is now. Look at it again before you delete it.</Text>
        )}
      </Stack>
    ),
  });
}
