import { useParams } from 'react-router';

import { to } from '../../ui/links';
import { PROFILES, shelfOf } from '../profiles/kinds';
import { NoShelf } from '../profiles/lost';
import { History } from './history';

/** What a link, variant or workload said before. */
export function Component() {
  const params = useParams();
  const shelf = shelfOf(params['kind']);
  const name = params['*'] ?? '';
  if (shelf === null) return <NoShelf />;
  const { kind, title } = PROFILES[shelf];
  return (
    <History
      key={name}
      shelf={shelf}
      kind={kind}
      name={name}
      above={{ label: title, to: to.documents(kind) }}
    />
  );
}
