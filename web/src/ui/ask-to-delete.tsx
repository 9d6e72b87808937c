import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

/** Asks whether something should really go; `about` says what goes with it. */
export function askToDelete(what: string, about: ReactNode, confirmed: () => void): void {
  modals.openConfirmModal({
    title: `Delete ${what}?`,
    children: <Text size="sm">{about}</Text>,
    labels: { confirm: 'Delete', cancel: 'Keep it' },
    confirmProps: { color: 'red' },
    onConfirm: confirmed,
  });
}
