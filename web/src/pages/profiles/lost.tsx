import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Nowhere } from '../../ui/asked';
import { PROFILES, type ProfileShelf } from './kinds';

/** At an address of a kind that there is not. */
export function NoShelf() {
  return (
    <Nowhere
      title="No such profiles"
      heading="Profiles are links, variants or workloads"
      go={['To the links', to.documents('link')]}
    >
      The address names another kind. It may have been mistyped.
    </Nowhere>
  );
}

/** At the address of a profile that is not there, or not any more. */
export function NoProfile({ shelf, name }: { readonly shelf: ProfileShelf; readonly name: string }) {
  const { kind, title, one } = PROFILES[shelf];
  return (
    <Nowhere
      title={name}
      above={[{ label: title, to: to.documents(kind) }]}
      heading={`There is no ${one} of this name`}
      go={[`To the ${shelf}`, to.documents(kind)]}
    >
      It may have been mistyped, or deleted: then <TextLink to={to.history(kind, name)}>its history</TextLink>{' '}
      may still have it. Its batches keep their own copy.
    </Nowhere>
  );
}
