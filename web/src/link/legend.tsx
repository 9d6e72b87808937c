import { Box, Group, Text } from '@mantine/core';

import { DIRECTION_LINES } from '../paint/directions';
import { usePalette } from '../paint/use-palette';
import { LINK_DIRECTIONS, SPELLS, type Preview, type Spell } from './preview-model';

type SpellKind = Spell['kind'];

export const ALL_KINDS = Object.keys(SPELLS) as readonly SpellKind[];

/** The kinds of spells that a preview has. */
export const kindsIn = (preview: Preview): readonly SpellKind[] => [
  ...new Set(LINK_DIRECTIONS.flatMap((way) => preview[way].spells.map(({ kind }) => kind))),
];

/** What the lines and colours of a preview mean. */
export function PreviewLegend({ kinds }: { readonly kinds: readonly SpellKind[] }) {
  const palette = usePalette();
  return (
    <Group gap="md" aria-hidden>
      {LINK_DIRECTIONS.map((way) => (
        <Group key={way} gap={6}>
          <svg width={26} height={8}>
            <line
              x1={0}
              x2={26}
              y1={4}
              y2={4}
              stroke={palette[DIRECTION_LINES[way].color]}
              strokeWidth={2}
              strokeDasharray={DIRECTION_LINES[way].dash.join(' ')}
            />
          </svg>
          <Text size="xs">{way}</Text>
        </Group>
      ))}
      {kinds.map((kind) => (
        <Group key={kind} gap={6}>
          <Box w={14} h={12} bg={palette[kind]} />
          <Text size="xs">{SPELLS[kind]}</Text>
        </Group>
      ))}
    </Group>
  );
}
