import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';

import type { Schema } from '../../api/client';
import { leftInWords, msLeft, withSeen, type Seen } from '../../lib/time-left';
import { countOf } from '../../ui/states';

/** How long the rest of a batch takes, from the pace at which its runs ended while the page was open. */
export function TimeLeft({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const ended = batch.total - countOf(batch.runs, ['queued', 'running']);
  const [seen, setSeen] = useState<readonly Seen[]>([]);
  useEffect(() => {
    setSeen((before) => withSeen(before, Date.now(), ended));
  }, [ended]);
  const left = msLeft(seen, batch.total);
  if (batch.state === 'ended' || left === null) return null;
  return (
    <Text size="sm" className="time-left">
      At the pace of the last minute, {leftInWords(left)}.
    </Text>
  );
}
