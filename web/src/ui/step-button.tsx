import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';

interface Props {
  readonly by: 1 | -1;
  /** Of what, as `repetition`. */
  readonly of: string;
  readonly size: number;
  readonly disabled: boolean;
  readonly onStep: (by: 1 | -1) => void;
}

/** Goes to the one before, or the next. */
export function StepButton({ by, of, size, disabled, onStep }: Props) {
  const Sign = by < 0 ? IconChevronLeft : IconChevronRight;
  return (
    <ActionIcon
      variant="default"
      size={size}
      aria-label={`${by < 0 ? 'Previous' : 'Next'} ${of}`}
      disabled={disabled}
      onClick={() => onStep(by)}
    >
      <Sign size={16} aria-hidden />
    </ActionIcon>
  );
}
