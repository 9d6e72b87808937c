import {
  IconBan,
  IconCheck,
  IconClock,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
  type Icon,
} from '@tabler/icons-react';

import type { Schema } from '../api/client';
import { SignBadge } from './sign-badge';

type State = Schema<'SearchLine'>['state'];

/** As those of runs: they differ in word and icon, not in colour alone. */
const LOOKS: Readonly<Record<State, { readonly color: string; readonly icon: Icon }>> = {
  waiting: { color: 'gray', icon: IconClock },
  running: { color: 'blue', icon: IconPlayerPlay },
  stopping: { color: 'gray', icon: IconPlayerPause },
  stopped: { color: 'gray', icon: IconBan },
  done: { color: 'teal', icon: IconCheck },
  failed: { color: 'red', icon: IconX },
};

/** How far a search is. */
export function SearchBadge({ state }: { readonly state: State }) {
  const { color, icon } = LOOKS[state];
  return <SignBadge color={color} sign={icon} text={state} />;
}
