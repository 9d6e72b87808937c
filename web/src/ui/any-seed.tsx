import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDice3 } from '@tabler/icons-react';

import { anySeed } from '../lib/seed';

/** A button in a seed's field that puts in another one. */
export function AnySeed({ onSeed }: { readonly onSeed: (seed: string) => void }) {
  return (
    <Tooltip label="Random seed">
      <ActionIcon variant="subtle" aria-label="Random seed" onClick={() => onSeed(anySeed())}>
        <IconDice3 size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
