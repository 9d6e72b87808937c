import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useEffect } from 'react';
import { useBlocker } from 'react-router';

/**
 * Asks before a page with changes that are not saved is left: by a link, by going back, by closing the tab. `what` names
 * what would be lost, as `the changes of this link`.
 */
export function useUnsaved(unsaved: boolean, what: string): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    let leaving = false;
    modals.openConfirmModal({
      modalId: 'unsaved',
      title: 'Leave without saving?',
      children: <Text size="sm">If you leave now, {what} will be lost.</Text>,
      labels: { confirm: 'Leave', cancel: 'Stay' },
      confirmProps: { variant: 'filled', color: 'red' },
      closeButtonProps: { 'aria-label': 'Stay' },
      onConfirm: () => {
        leaving = true;
        blocker.proceed();
      },
      // However it is closed: by a button, by Escape, by a click beside it.
      onClose: () => {
        if (!leaving) blocker.reset();
      },
    });
  }, [blocker, what]);
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [unsaved]);
}
