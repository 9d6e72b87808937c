import { Button } from '@mantine/core';
import { Link } from 'react-router';

import { Empty } from '../../ui/empty';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { PROFILES, type ProfileShelf } from './kinds';

/** At an address of a kind that there is not. */
export function NoShelf() {
  return (
    <Page title="No such profiles">
      <Empty
        title="Profiles are links, variants or workloads"
        action={
          <Button component={Link} to={to.profiles('link')} mt="sm">
            To the links
          </Button>
        }
      >
        The address names another kind. It may have been mistyped.
      </Empty>
    </Page>
  );
}

/** At the address of a profile that is not there, or not any more. */
export function NoProfile({ shelf, name }: { readonly shelf: ProfileShelf; readonly name: string }) {
  const { kind, title, one } = PROFILES[shelf];
  return (
    <Page title={name} above={[{ label: title, to: to.profiles(kind) }]}>
      <Empty
        title={`There is no ${one} of this name`}
        action={
          <Button component={Link} to={to.profiles(kind)} mt="sm">
            {`To the ${shelf}`}
          </Button>
        }
      >
        It may have been deleted or mistyped. Its batches keep their own copy.
      </Empty>
    </Page>
  );
}
