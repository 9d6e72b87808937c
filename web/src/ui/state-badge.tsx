import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconPlayerPlay,
  IconX,
  type Icon,
} from '@tabler/icons-react';

import type { Schema } from '../api/client';
import { SignBadge } from './sign-badge';
import { stateInWords, type RunState } from './states';

type State = RunState | Schema<'BatchView'>['state'];

/** A state differs in word and icon, not in colour alone. */
const LOOKS: Record<State, { readonly color: string; readonly icon: Icon }> = {
  queued: { color: 'gray', icon: IconClock },
  running: { color: 'blue', icon: IconPlayerPlay },
  done: { color: 'teal', icon: IconCheck },
  ended: { color: 'teal', icon: IconCheck },
  invalid: { color: 'yellow', icon: IconAlertTriangle },
  failed: { color: 'red', icon: IconX },
  cancelled: { color: 'gray', icon: IconBan },
};

interface Props {
  readonly state: State;
  /** What stands there; the state of a run in words if left out. */
  readonly words?: string;
}

/** The state of a run or a batch. */
export function StateBadge({ state, words = stateInWords(state) }: Props) {
  const { color, icon } = LOOKS[state];
  return <SignBadge color={color} sign={icon} text={words} />;
}
