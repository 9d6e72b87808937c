import { Menu, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';

import { SignButton } from '../../../ui/buttons';

interface Choice {
  readonly key: string;
  readonly label: string;
  readonly about: string;
}

interface Props<T extends Choice> {
  /** What the button says. */
  readonly label: string;
  readonly choices: readonly T[];
  readonly onAdd: (choice: T) => void;
}

/** Adds one of several things, each with a sentence on what it is. */
export function AddMenu<T extends Choice>({ label, choices, onAdd }: Props<T>) {
  if (choices.length === 0) return null;
  return (
    <Menu position="bottom-start" width={380}>
      <Menu.Target>
        <SignButton sign={IconPlus} size="xs" style={{ alignSelf: 'flex-start' }}>
          {label}
        </SignButton>
      </Menu.Target>
      <Menu.Dropdown className="link-add-menu">
        {choices.map((choice) => (
          <Menu.Item key={choice.key} onClick={() => onAdd(choice)}>
            <Text size="sm" fw={500}>
              {choice.label}
            </Text>
            <Text size="xs" c="dimmed">
              {choice.about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
