import { modals } from '@mantine/modals';
import { IconRestore } from '@tabler/icons-react';
import { useState } from 'react';

import { useKeeper, type Shelf } from '../../api/documents';
import { Failure } from '../../ui/asked';
import { SignButton } from '../../ui/buttons';
import { notifyDone } from '../../ui/notify';

interface Props {
  readonly shelf: Shelf;
  readonly name: string;
  /** The revision whose text the document is to have again. */
  readonly earlier: number;
  /** The one that it has now; null if it was deleted. */
  readonly revision: number | null;
  /** What the button does, to those who do not see what it stands beside. */
  readonly label: string;
  readonly onRestored?: () => void;
}

/** Restores a revision; or says why not. Nothing is lost by it: the text until now stays in the history. */
export function Restore({ shelf, name, earlier, revision, label, onRestored }: Props) {
  const keeper = useKeeper(shelf);
  const [busy, setBusy] = useState(false);
  const restore = async () => {
    setBusy(true);
    try {
      const made = await keeper.restore(name, earlier, revision);
      notifyDone(
        revision === null
          ? `${name} is there again`
          : `${name} has the text of revision ${earlier} again, as revision ${made.revision ?? ''}`,
      );
      onRestored?.();
    } catch (error) {
      modals.open({
        title: `${name} was not restored`,
        children: <Failure title="That did not work" error={error} />,
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <SignButton size="xs" sign={IconRestore} loading={busy} aria-label={label} onClick={() => void restore()}>
      Restore
    </SignButton>
  );
}
