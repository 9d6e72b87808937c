import { useParams } from 'react-router';

import { to } from '../../ui/links';
import { History } from './history';

/** What an experiment said before. */
export function Component() {
  const name = useParams()['*'] ?? '';
  return (
    <History
      key={name}
      shelf="experiments"
      kind="experiment"
      name={name}
      above={{ label: 'Experiments', to: to.experiments }}
    />
  );
}
