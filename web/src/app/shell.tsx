import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Container,
  Group,
  Kbd,
  type MantineColorScheme,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import {
  type Icon,
  IconBrightness,
  IconKeyboard,
  IconMoon,
  IconPlugConnectedX,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';

import { SignButton } from '../ui/buttons';
import { to } from '../ui/links';
import { ApiFailure } from '../api/failure';
import { useConnection, useRefusal } from '../api/provider';
import { sentence } from '../ui/asked';
import { Notice } from '../ui/text';
import { help } from './help';
import { Navigation } from './navigation';
import { openPalette, Palette, palette } from './palette';
import { Shortcuts } from './shortcuts';

/** What surrounds every page: header, navigation, command palette, the connection's state. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const narrow = useMediaQuery('(max-width: 48em)');
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    close();
    window.scrollTo(0, 0);
    // A page that comes late does not take the keys from what was opened over it since.
    if (palette.opened() || help.opened()) return;
    // Who works by keyboard or hears the page begins at its top, as after a page's load.
    main.current?.focus({ preventScroll: true });
  }, [pathname, close]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#main">
        To the page’s content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={opened}
              aria-controls="navigation"
            />
            <Anchor component={Link} to={to.home} underline="never" c="var(--mantine-color-text)">
              <Text fw={700} size="lg" span>
                Windlull
              </Text>
            </Anchor>
          </Group>
          <Group gap="xs" wrap="nowrap">
            {narrow ? (
              <ActionIcon
                variant="default"
                size="lg"
                aria-label="Find a page or an action"
                onClick={openPalette}
              >
                <IconSearch size={16} aria-hidden />
              </ActionIcon>
            ) : (
              <Tooltip label="All pages and actions by name">
                <SignButton
                  c="dimmed"
                  fw={400}
                  sign={IconSearch}
                  rightSection={<Kbd>Ctrl K</Kbd>}
                  onClick={openPalette}
                >
                  Find
                </SignButton>
              </Tooltip>
            )}
            <Tooltip label="Keys">
              <ActionIcon variant="default" size="lg" visibleFrom="sm" aria-label="Keys" onClick={help.open}>
                <IconKeyboard size={18} stroke={1.6} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <ThemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" id="navigation">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        <ConnectionBanner />
        <Container size="xl" px={0}>
          <Token>
            <Outlet />
          </Token>
        </Container>
      </AppShell.Main>
      <Palette />
      <Shortcuts />
    </AppShell>
  );
}

/** Sends to the page that asks for the token as soon as the controller wants one, and remembers where one was. */
function Token({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query }) => {
        const error: unknown = query.state.error;
        if (!(error instanceof ApiFailure) || error.status !== 401 || pathname === to.session) return;
        const back = encodeURIComponent(pathname + search + hash);
        void navigate(`${to.session}?back=${back}`, { replace: true });
      }),
    [queries, navigate, pathname, search, hash],
  );
  return children;
}

/**
 * Says that the controller is lost, while it is, or why it does not tell what happens; pages keep what they had. Not
 * where the token is asked for: without it, the stream of events is refused.
 */
function ConnectionBanner() {
  const connection = useConnection();
  const refusal = useRefusal();
  const { pathname } = useLocation();
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && pathname !== to.session && (
        <Notice
          color="yellow"
          mb="md"
          sign={IconPlugConnectedX}
          title={refusal === null ? 'The controller does not answer' : 'This page is not being updated'}
        >
          {refusal !== null && `${sentence(new Error(refusal))} `}
          The page shows the last known state and reconnects by itself. Queued runs are not lost.
          {refusal === null && ' If this persists, check that “windlull serve” is running.'}
        </Notice>
      )}
    </div>
  );
}

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const WORDS: Record<MantineColorScheme, string> = {
  auto: 'as in the system',
  light: 'light',
  dark: 'dark',
};
const ICONS: Record<MantineColorScheme, Icon> = { auto: IconBrightness, light: IconSun, dark: IconMoon };

/** Light, dark, or as the system has it; remembered by the browser. */
function ThemeSwitch() {
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
