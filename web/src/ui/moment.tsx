import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

import { ago } from './time';

/** How long ago something was; hovering and `title` tell the instant itself. */
export function Moment({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Tooltip label={new Date(at).toLocaleString(undefined, { hourCycle: 'h23' })}>
      <time dateTime={at}>{ago(new Date(at).getTime(), now)}</time>
    </Tooltip>
  );
}
