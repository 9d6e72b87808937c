import { NavLink as Item, Stack } from '@mantine/core';
import {
  IconAdjustments,
  IconBook2,
  IconCalendarRepeat,
  IconChartHistogram,
  IconFileSearch,
  IconFlask,
  IconHome,
  IconPlus,
  IconServer2,
  IconTargetArrow,
  IconWaveSine,
  type Icon,
} from '@tabler/icons-react';
import { Link, useLocation } from 'react-router';

import { to } from '../ui/links';

interface NavigationPage {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  /** Goes there after `g`. */
  readonly letter: string;
  /** Beginnings of addresses that belong here; the longest one that fits wins. */
  readonly below: readonly string[];
}

/** The pages that the navigation and the command palette name. */
export const PAGES: readonly NavigationPage[] = [
  { label: 'Home', to: to.home, icon: IconHome, letter: 'h', below: ['/'] },
  { label: 'New experiment', to: to.newExperiment, icon: IconPlus, letter: 'n', below: [to.newExperiment] },
  {
    label: 'Runs',
    to: to.batches,
    icon: IconChartHistogram,
    letter: 'r',
    below: [to.batches, '/runs', '/comparisons', to.trends, to.difference()],
  },
  { label: 'Experiments', to: to.experiments, icon: IconFlask, letter: 'e', below: [to.experiments] },
  { label: 'Profiles', to: to.documents('link'), icon: IconWaveSine, letter: 'p', below: ['/profiles'] },
  { label: 'Searches', to: to.searches, icon: IconTargetArrow, letter: 's', below: [to.searches] },
  { label: 'Schedules', to: to.schedules, icon: IconCalendarRepeat, letter: 'd', below: [to.schedules] },
  { label: 'Papers', to: to.papers, icon: IconBook2, letter: 'a', below: [to.papers] },
  { label: 'Live link', to: to.liveLink, icon: IconAdjustments, letter: 'l', below: [to.liveLink] },
  { label: 'Captures', to: to.captures, icon: IconFileSearch, letter: 'c', below: [to.captures] },
  { label: 'Testbeds', to: to.testbeds, icon: IconServer2, letter: 't', below: [to.testbeds] },
];

/** Which place an address belongs to. */
export function pageOf(pathname: string): NavigationPage | undefined {
  const fit = (page: NavigationPage) =>
    Math.max(
      -1,
      ...page.below
        .filter((start) => pathname === start || (start !== '/' && pathname.startsWith(`${start}/`)))
        .map((start) => start.length),
    );
  return PAGES.filter((page) => fit(page) >= 0).sort((a, b) => fit(b) - fit(a))[0];
}

export function Navigation() {
  const { pathname } = useLocation();
  const here = pageOf(pathname);
  return (
    <Stack component="nav" aria-label="Pages" gap={2}>
      {PAGES.map((page) => (
        <Item
          key={page.to}
          component={Link}
          to={page.to}
          label={page.label}
          leftSection={<page.icon size={18} stroke={1.6} aria-hidden />}
          active={page === here}
          aria-current={page === here ? 'page' : undefined}
          color="blue"
          variant="light"
          c="var(--mantine-color-text)"
          fw={page === here ? 600 : 400}
        />
      ))}
    </Stack>
  );
}
