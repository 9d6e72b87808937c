import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Button,
  Container,
  Group,
  Kbd,
  Text,
  Tooltip,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconKeyboard, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link, Outlet, useLocation } from 'react-router';

import { to } from '../ui/links';
import { ConnectionBanner } from './connection';
import { help } from './help';
import { Navigation } from './navigation';
import { openPalette, Palette } from './palette';
import { Shortcuts } from './shortcuts';
import { ThemeSwitch } from './theme-switch';
import { Token } from './token';

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
    // Who works by keyboard or hears the page begins at its top, as after a page's load.
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
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
                <Button
                  variant="default"
                  c="dimmed"
                  fw={400}
                  leftSection={<IconSearch size={16} aria-hidden />}
                  rightSection={<Kbd>Ctrl K</Kbd>}
                  onClick={openPalette}
                >
                  Find
                </Button>
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
