import { useParams, useSearchParams } from 'react-router';

import { useDocument } from '../../api/documents';
import { AskedPage } from '../../ui/asked';
import { to } from '../../ui/links';
import { Editing } from './editing';
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
  const { kind, title } = PROFILES[shelf];
  return (
    <AskedPage
      query={useDocument(shelf, name)}
      title={copy ? `Copy ${name}` : `Edit ${name}`}
      above={[{ label: title, to: to.documents(kind) }]}
      failed={`${name} could not be read`}
      what={name}
      none={<NoProfile shelf={shelf} name={name} />}
    >
      {({ toml, revision }) => (
        // A shipped one stays as it is: who wants to change it gets a copy.
        <Editing
          shelf={shelf}
          beginning={
            copy || revision === null
              ? { how: 'copy', toml, of: name }
              : { how: 'change', toml, name, revision }
          }
        />
      )}
    </AskedPage>
  );
}
