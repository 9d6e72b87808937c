import {
  IconBan,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconFlag,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconQuestionMark,
  IconX,
  type Icon,
} from '@tabler/icons-react';

import type { Schema } from '../api/client';
import { type Outcome, outcomeOf } from './rounds';
import { SignBadge } from './sign-badge';

/** As those of runs: they differ in word and icon, not in colour alone. */
const LOOKS: Readonly<Record<Outcome, { readonly color: string; readonly icon: Icon }>> = {
  waiting: { color: 'gray', icon: IconClock },
  running: { color: 'blue', icon: IconPlayerPlay },
  skipped: { color: 'gray', icon: IconPlayerSkipForward },
  failed: { color: 'red', icon: IconX },
  passed: { color: 'teal', icon: IconCheck },
  undecided: { color: 'yellow', icon: IconQuestionMark },
  unjudged: { color: 'yellow', icon: IconBan },
  'no gate': { color: 'gray', icon: IconCircleDashed },
  first: { color: 'gray', icon: IconFlag },
};

/** What came of a round of a schedule. */
export function RoundBadge({ round }: { readonly round: Schema<'RoundView'> }) {
  const outcome = outcomeOf(round);
  const { color, icon } = LOOKS[outcome];
  return <SignBadge color={color} sign={icon} text={outcome} />;
}
