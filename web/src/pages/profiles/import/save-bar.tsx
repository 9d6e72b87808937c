import { Button, Group } from '@mantine/core';

import { Failure } from '../../../ui/asked';
import { LinkButton } from '../../../ui/buttons';
import { to } from '../../../ui/links';
import type { Saving } from './saving';

interface SaveBarProps {
  readonly saving: Saving;
  /** Whether there is no link to save. */
  readonly disabled?: boolean;
}

/** The end of a form: why the link was not saved, unless the name's field says so, and how it is saved or left. */
export function SaveBar({ saving: { busy, refused, taken }, disabled = false }: SaveBarProps) {
  return (
    <>
      {refused !== null && !taken && <Failure title="It was not saved" error={refused} />}
      <Group>
        <Button type="submit" loading={busy} variant="filled" disabled={disabled}>
          Save link
        </Button>
        <LinkButton to={to.documents('link')}>Leave</LinkButton>
      </Group>
    </>
  );
}
