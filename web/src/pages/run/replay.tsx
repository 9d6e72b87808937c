import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { to } from '../../ui/links';
import { replaysOf } from './replays';

/** Opens the form of a new experiment on what the packets of this run met: to be run by any variants. */
export function Replay({ run }: { readonly run: Schema<'RunView'> }) {
  const ways = replaysOf(run.result);
  if (ways.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal width={340}>
      <Menu.Target>
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          title="A new experiment whose packets meet the fates that this run’s packets met"
        >
          Replay
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Each packet meets the fate of the recorded packet …</Menu.Label>
        {ways.map(({ by, title, about }) => (
          <Menu.Item key={by} component={Link} to={to.replay(run.id, by)}>
            {title}
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
