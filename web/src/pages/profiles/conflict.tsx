import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

import type { DocumentTold } from '../../api/documents';
import { TomlEditor } from '../../toml/editor';
import { Moment } from '../../ui/moment';

interface Props {
  readonly one: string;
  /** As it is on the controller now. */
  readonly theirs: DocumentTold;
  readonly busy: boolean;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** Somebody saved another text meanwhile: shows it below one's own, and asks which one is to stay. */
export function Conflict({ one, theirs, busy, onMine, onTheirs }: Props) {
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`This ${one} was changed meanwhile`}
    >
      <Stack gap="sm">
        <Text size="sm" c="var(--mantine-color-text)">
          Revision {theirs.revision ?? ''} was saved
          {theirs.updated_at !== null && (
            <>
              {' '}
              <Moment at={theirs.updated_at} />
            </>
          )}
          , in another window or by another person. Your text is above, theirs below; nothing is lost until
          you choose. You can also copy parts of theirs into yours, and then save yours.
        </Text>
        <TomlEditor label="Theirs, as saved" value={theirs.toml} readOnly minHeight="6rem" />
        <Group>
          <Button variant="default" loading={busy} onClick={onMine}>
            Save mine in its place
          </Button>
          <Button variant="default" disabled={busy} onClick={onTheirs}>
            Take theirs, drop mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
