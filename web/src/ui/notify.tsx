import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';

import { sentence } from './asked';

/** The library's own grey is too light to read. */
const LOOKS = {
  styles: { description: { color: 'var(--mantine-color-dimmed)' } },
  closeButtonProps: { 'aria-label': 'Close this message' },
};

/** Says that something that was asked for could not be done; the page stays as it is, so that it can be tried again. */
export function notifyFailure(title: string, error: unknown): void {
  notifications.show({
    role: 'alert',
    color: 'red',
    icon: <IconAlertTriangle size={18} aria-hidden />,
    title,
    message: sentence(error),
    autoClose: 12_000,
    ...LOOKS,
  });
}

/** Says that something is done. */
export function notifyDone(title: string, message?: ReactNode): void {
  notifications.show({
    role: 'status',
    color: 'teal',
    icon: <IconCheck size={18} aria-hidden />,
    title,
    message: message ?? '',
    ...LOOKS,
  });
}
