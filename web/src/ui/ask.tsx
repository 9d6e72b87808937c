import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface Question {
  readonly title: string;
  readonly about: ReactNode;
  /** What the buttons say. */
  readonly yes: string;
  readonly no: string;
  /** Whether something is lost by it. */
  readonly loses?: boolean;
  readonly onYes: () => void;
}

/** Asks whether something should really be done. */
export function ask({ title, about, yes, no, loses = false, onYes }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{about}</Text>,
    labels: { confirm: yes, cancel: no },
    confirmProps: { variant: 'filled', ...(loses && { color: 'red' }) },
    onConfirm: onYes,
  });
}

/** Asks whether something should really go; `about` says what goes with it. */
export function askToDelete(what: string, about: ReactNode, onYes: () => void): void {
  ask({ title: `Delete ${what}?`, about, yes: 'Delete', no: 'Keep it', loses: true, onYes });
}
