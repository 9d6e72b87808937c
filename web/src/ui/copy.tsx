import { ActionIcon, Code, CopyButton, Group, ScrollArea, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** A command to copy. `what` names it, as `the command`. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <ScrollArea style={{ flex: 1 }} viewportProps={{ tabIndex: 0, 'aria-label': what, role: 'group' }}>
        <Code block style={{ overflow: 'visible' }}>
          {text}
        </Code>
      </ScrollArea>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
              onClick={copy}
            >
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
