import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface Props {
  readonly icon: Icon;
  readonly label: string;
  /** Null where there is nothing to do now. */
  readonly onClick: (() => void) | null;
}

/** A sign that does something, with its words where it is pointed at. */
export function ToolButton({ icon: Sign, label, onClick }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="md"
        aria-label={label}
        disabled={onClick === null}
        {...(onClick !== null && { onClick })}
      >
        <Sign size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
