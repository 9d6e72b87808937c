import { useParams, useSearchParams } from 'react-router';

import { useDocument } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { Editing, type Beginning } from './editing';
import { PROFILES, shelfOf, type ProfileShelf } from './kinds';
import { NoProfile, NoShelf } from './lost';

/** A new profile, one that begins as a copy (`?from=`), or a change of an own one. */
export function Component() {
  const params = useParams();
  const [search] = useSearchParams();
  const shelf = shelfOf(params['kind']);
  if (shelf === null) return <NoShelf />;
  const name = params['*'];
  const from = search.get('from');
  if (name !== undefined) return <Opened key={name} shelf={shelf} name={name} copy={false} />;
  if (from !== null) return <Opened key={from} shelf={shelf} name={from} copy />;
  return <Editing shelf={shelf} beginning={{ how: 'new', toml: PROFILES[shelf].starter }} />;
}

interface OpenedProps {
  readonly shelf: ProfileShelf;
  /** Of the profile that is changed or copied. */
  readonly name: string;
  readonly copy: boolean;
}

function Opened({ shelf, name, copy }: OpenedProps) {
  const { data, error, refetch } = useDocument(shelf, name);
  const { kind, title } = PROFILES[shelf];
  if (error instanceof ApiFailure && (error.status === 404 || error.status === 422)) {
    return <NoProfile shelf={shelf} name={name} />;
  }
  if (data) {
    // A shipped one stays as it is: who wants to change it gets a copy.
    const beginning: Beginning =
      copy || data.revision === null
        ? { how: 'copy', toml: data.toml, of: name }
        : { how: 'change', toml: data.toml, name, revision: data.revision };
    return <Editing shelf={shelf} beginning={beginning} />;
  }
  return (
    <Page title={copy ? `Copy ${name}` : `Edit ${name}`} above={[{ label: title, to: to.profiles(kind) }]}>
      {error !== null ? (
        <Failure title={`${name} could not be read`} error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting what={name} rows={10} />
      )}
    </Page>
  );
}
