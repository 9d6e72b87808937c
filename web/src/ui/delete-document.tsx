import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';

import { useKeeper, type Shelf } from '../api/documents';
import { ApiFailure } from '../api/failure';
import { askToDelete } from './ask';
import { SignButton } from './buttons';
import { Failure } from './asked';
import { notifyDone } from './notify';

interface Props {
  readonly shelf: Shelf;
  /** What one of the shelf is called. */
  readonly one: string;
  readonly name: string;
  readonly revision: number;
  /** What stays when it goes, in a sentence. */
  readonly stays: string;
  readonly onDeleted: () => void;
}

/** Deletes a document of the user's own, once that is confirmed; or says why not. */
export function DeleteDocument({ shelf, one, name, revision, stays, onDeleted }: Props) {
  const keeper = useKeeper(shelf);
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await keeper.remove(name, revision);
      notifyDone(`The ${one} ${name} is deleted`);
      onDeleted();
    } catch (error) {
      setBusy(false);
      refused(name, error);
    }
  };
  return (
    <SignButton
      loading={busy}
      sign={IconTrash}
      onClick={() =>
        askToDelete(name, `It can be restored for a while, from its history. ${stays}`, () => void remove())
      }
    >
      Delete
    </SignButton>
  );
}

/** What stands in the way, by the API's name for it. */
const WHY: Readonly<Record<string, string>> = {
  'in-use': 'Other files use it',
  'changed-meanwhile': 'It was changed meanwhile',
};

/** Says why a document was not deleted, where it was asked for. */
function refused(name: string, error: unknown): void {
  const code = error instanceof ApiFailure ? error.code : '';
  modals.open({
    title: `${name} was not deleted`,
    children: (
      <Stack>
        <Failure title={WHY[code] ?? 'That did not work'} error={error} />
        {code === 'changed-meanwhile' && (
          <Text size="sm">The page now shows the current version. Check it before you delete it.</Text>
        )}
      </Stack>
    ),
  });
}
