import { Button, Group } from '@mantine/core';
import { IconArrowBarToLeft, IconArrowRight } from '@tabler/icons-react';

import { useAddress } from './use-address';

interface Props {
  /** What is paged, as `batches`. */
  readonly of: string;
  /** `next` of the page on show. */
  readonly next: string | null;
  /** Which parameter of the address has the cursor. */
  readonly param?: string;
}

/** The way through a list that the API gives in pages: on, and back to its beginning. Going back is the browser's. */
export function Pager({ of, next, param = 'after' }: Props) {
  const { params, change } = useAddress();
  const first = !params.has(param);
  if (first && next === null) return null;
  return (
    <Group component="nav" aria-label={`Pages of ${of}`} gap="xs">
      <Button
        variant="default"
        size="xs"
        disabled={first}
        leftSection={<IconArrowBarToLeft size={14} aria-hidden />}
        onClick={() => change({ [param]: null }, 'push')}
      >
        First page
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        rightSection={<IconArrowRight size={14} aria-hidden />}
        onClick={() => change({ [param]: next }, 'push')}
      >
        Next page
      </Button>
    </Group>
  );
}
