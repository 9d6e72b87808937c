import { Badge } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface Props {
  readonly color: string;
  readonly sign: Icon;
  readonly text: string;
  /** More of it, for who points at it. */
  readonly title?: string;
  readonly fw?: number;
}

/** A word with a sign: what it says differs in both, not in colour alone. */
export function SignBadge({ color, sign: Sign, text, ...more }: Props) {
  return (
    <Badge color={color} c="var(--mantine-color-text)" leftSection={<Sign size={12} aria-hidden />} {...more}>
      {text}
    </Badge>
  );
}
