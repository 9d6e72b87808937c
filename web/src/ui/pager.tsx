import { Button, Group } from '@mantine/core';
import { IconArrowBarToLeft, IconArrowRight } from '@tabler/icons-react';

import { SignButton } from './buttons';
import { useAddress } from './use-address';

interface Props {
  /** What is paged, as `batches`. */
  readonly of: string;
  /** `next` of the page on show. */
  readonly next: string | null;
}

/** The way through a list that the API gives in pages: on, and back to its beginning. Going back is the browser's. */
export function Pager({ of, next }: Props) {
  const { params, change } = useAddress();
  const first = !params.has('after');
  if (first && next === null) return null;
  return (
    <Group component="nav" aria-label={`Pages of ${of}`} gap="xs">
      <SignButton
        size="xs"
        disabled={first}
        sign={IconArrowBarToLeft}
        onClick={() => change({ after: null }, 'push')}
      >
        First page
      </SignButton>
      <Button
        size="xs"
        disabled={next === null}
        rightSection={<IconArrowRight size={14} aria-hidden />}
        onClick={() => change({ after: next }, 'push')}
      >
        Next page
      </Button>
    </Group>
  );
}
