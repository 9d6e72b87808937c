import { Tabs } from '@mantine/core';
import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { useNavigate, useParams } from 'react-router';

import { DocumentList } from '../../parts/documents/list';
import { LinkButton } from '../../ui/buttons';
import { to, type DocumentKind } from '../../ui/links';
import { Page } from '../../ui/page';
import { PROFILES, SHELVES, shelfOf, type ProfileShelf } from './kinds';
import { LinkLibrary } from './library/library';
import { NoShelf } from './lost';

/** The profiles of one kind: those shipped, and the user's own. */
export function Component() {
  const shelf = shelfOf(useParams()['kind']);
  return shelf === null ? <NoShelf /> : <Profiles shelf={shelf} />;
}

/** Links are a library of their own, others a list. */
function Shelf({ shelf, ...props }: { shelf: ProfileShelf; kind: DocumentKind; how: string }) {
  return shelf === 'links' ? <LinkLibrary {...props} /> : <DocumentList shelf={shelf} {...props} />;
}

function Profiles({ shelf }: { readonly shelf: ProfileShelf }) {
  const navigate = useNavigate();
  const { kind, title, about, one } = PROFILES[shelf];
  return (
    <Page
      title={title}
      about={about}
      actions={
        <>
          {shelf === 'links' && (
            <LinkButton to={to.importRecording} sign={IconFileImport}>
              Import a recording
            </LinkButton>
          )}
          <LinkButton to={to.newDocument(kind)} sign={IconPlus} variant="filled">{`New ${one}`}</LinkButton>
        </>
      }
    >
      <Tabs
        value={shelf}
        keepMounted={false}
        onChange={(value) => {
          const chosen = shelfOf(value ?? undefined);
          if (chosen !== null) void navigate(to.documents(PROFILES[chosen].kind));
        }}
      >
        <Tabs.List aria-label="Kinds of profiles" mb="md">
          {SHELVES.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {PROFILES[each].title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SHELVES.map((each) => (
          <Tabs.Panel key={each} value={each}>
            <Shelf
              shelf={each}
              kind={PROFILES[each].kind}
              how={`Open a shipped one and copy it, or create a new one. Shipped ${each} cannot be changed, so that results can be repeated.`}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
