import { Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

import { ago } from './time';

/** How long ago something was; hovering and `title` tell the instant itself. */
export function Moment({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 10_000, { autoInvoke: true });
  return (
    <Tooltip label={new Date(at).toLocaleString(undefined, { hourCycle: 'h23' })}>
      <time dateTime={at}>{ago(new Date(at).getTime(), now)}</time>
    </Tooltip>
  );
}
