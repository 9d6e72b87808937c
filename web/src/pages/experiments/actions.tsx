import { Button } from '@mantine/core';
import { IconCopy, IconDownload, IconEdit, IconPlayerPlay } from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';

import type { DocumentTold } from '../../api/documents';
import { RunDialog } from '../../ui/batch/run-dialog';
import { DeleteDocument } from '../../ui/delete-document';
import { to } from '../../ui/links';
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
        onClick={() => change({ run: 'now' }, 'push')}
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
          <DeleteDocument
            shelf="experiments"
            one="experiment"
            name={name}
            revision={revision}
            stays="Its batches keep their own copy and their results; the links and variants that it names stay."
            onDeleted={() => void navigate(to.experiments)}
          />
        </>
      )}
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() =>
          saveBlob(new Blob([toml], { type: 'application/toml' }), `${name.replaceAll('/', '-')}.toml`)
        }
      >
        Download TOML
      </Button>
      <RunDialog
        given={{ experiment: name }}
        opened={params.get('run') === 'now'}
        onClose={() => change({ run: null }, 'replace')}
        onQueued={(batch) => void navigate(to.batch(batch.id))}
      />
    </>
  );
}
