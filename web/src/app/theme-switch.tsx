import { ActionIcon, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconBrightness, IconMoon, IconSun, type Icon } from '@tabler/icons-react';

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const WORDS: Record<MantineColorScheme, string> = {
  auto: 'as in the system',
  light: 'light',
  dark: 'dark',
};
const ICONS: Record<MantineColorScheme, Icon> = { auto: IconBrightness, light: IconSun, dark: IconMoon };

/** Light, dark, or as the system has it; remembered by the browser. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Sign = ICONS[colorScheme];
  const label = `Colours: ${WORDS[colorScheme]}; change to ${WORDS[NEXT[colorScheme]]}`;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Sign size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
