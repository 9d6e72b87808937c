import { Group } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';

import type { Shelf } from '../../api/documents';
import { forget, useHistory, type RevisionLine } from '../../api/revisions';
import { ask } from '../../ui/ask';
import { AskedPage, Nowhere } from '../../ui/asked';
import { SignButton } from '../../ui/buttons';
import { to, type DocumentKind } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { Page, Section, type Crumb } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { RevisionSection } from './revision-section';
import { RevisionTable } from './revision-table';
import './history.css';

interface Props {
  readonly shelf: Shelf;
  readonly kind: DocumentKind;
  readonly name: string;
  /** All documents of its kind. */
  readonly above: Crumb;
}

/** The revisions of a document, also of one that was deleted, and what changed from one to another. */
export function History(props: Props) {
  const { kind, name, above } = props;
  return (
    <AskedPage
      query={useHistory(kind, name)}
      title={`History of ${name}`}
      above={[above]}
      failed={`The history of ${name} could not be read`}
      what={`the history of ${name}`}
      none={
        <Nowhere
          title={`History of ${name}`}
          above={[above]}
          heading={`Nothing is kept of a ${kind} of this name`}
          go={[`Deleted ${props.shelf}`, to.deleted(kind)]}
        >
          The name may have been mistyped, or its revisions have made room for newer ones. Shipped files have
          no history.
        </Nowhere>
      }
    >
      {({ items }) => <HistoryPage {...props} lines={items} />}
    </AskedPage>
  );
}

/** Which revision is shown, and with which it is compared, stand in the address. */
function HistoryPage({
  shelf,
  kind,
  name,
  above,
  lines,
}: Props & { readonly lines: readonly RevisionLine[] }) {
  const { params, change } = useAddress();
  const newest = lines.at(0);
  const inForce = newest === undefined || newest.change === 'deleted' ? null : newest.revision;
  const texts = lines.filter((line) => line.change !== 'deleted').map(({ revision }) => revision);
  const numbered = (key: string) => texts.find((revision) => String(revision) === params.get(key));
  const shown = numbered('revision') ?? texts.at(0);
  const since =
    numbered('since') ?? texts.find((revision) => shown !== undefined && revision < shown) ?? null;
  return (
    <Page
      title={`History of ${name}`}
      above={[above, ...(inForce === null ? [] : [{ label: name, to: to.document(kind, name) }])]}
      about={
        inForce === null
          ? 'It was deleted. Restore one of its revisions, and it is there again.'
          : 'Every revision that was saved. To restore one is to save its text once more; nothing is lost.'
      }
      actions={texts.some((revision) => revision !== inForce) && <Forget {...{ kind, name, inForce }} />}
    >
      <Section title="Revisions">
        <RevisionTable
          {...{ shelf, name, lines, inForce }}
          shown={shown ?? null}
          onShow={(revision) => change({ revision: String(revision), since: null }, 'push')}
          onRestored={() => change({ revision: null, since: null }, 'push')}
        />
      </Section>
      {shown !== undefined && (
        <RevisionSection
          {...{ shelf, kind, name, texts, shown, since }}
          onShow={(revision) => change({ revision: String(revision) }, 'push')}
          onSince={(revision) => change({ since: String(revision) }, 'push')}
        />
      )}
    </Page>
  );
}

interface ForgetProps {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly inForce: number | null;
}

/** Forgets the earlier revisions, or all of what was deleted, once that is confirmed. */
function Forget({ kind, name, inForce }: ForgetProps) {
  const yes = inForce === null ? 'Delete for good' : 'Forget earlier revisions';
  const done = async () => {
    try {
      await forget(kind, name);
      notifyDone(inForce === null ? `${name} is deleted for good` : `The history of ${name} begins anew`);
    } catch (error) {
      notifyFailure('The revisions could not be forgotten', error);
    }
  };
  return (
    <Group>
      <SignButton
        sign={IconTrash}
        onClick={() =>
          ask({
            title: `${yes}?`,
            about:
              inForce === null
                ? `No revision of ${name} can be restored after that.`
                : `The text that ${name} has now stays; none from before can be restored after that.`,
            yes,
            no: 'Keep them',
            loses: true,
            onYes: () => void done(),
          })
        }
      >
        {yes}
      </SignButton>
    </Group>
  );
}
