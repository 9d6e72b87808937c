import { useMantineColorScheme } from '@mantine/core';
import {
  IconArrowsSplit2,
  IconBook2,
  IconChartHistogram,
  IconClock,
  IconFileImport,
  IconFlask,
  IconKeyboard,
  IconMoon,
  IconPackageImport,
  IconPlayerPlay,
  IconSchool,
  IconSun,
  IconTimeline,
  IconBrightness,
  IconWaveSine,
} from '@tabler/icons-react';
import { useMemo } from 'react';

import { api, type Schema } from '../api/client';
import { capital } from '../lib/format';
import { to, type DocumentKind } from '../ui/links';
import { numberIn, type Chosen, type Entry } from './commands';
import { help } from './help';
import { PAGES } from './navigation';

const ALL = { params: { query: { limit: 500 } } } as const;
const LAST = { params: { query: { limit: 50 } } } as const;

/** Everything that the command palette can find: pages, actions, and what the controller has. */
export function useEntries(query: string, chosen: readonly Chosen[]): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const experiments = api.useQuery('get', '/api/v1/experiments', ALL).data;
  const links = api.useQuery('get', '/api/v1/links', ALL).data;
  const variants = api.useQuery('get', '/api/v1/variants', ALL).data;
  const workloads = api.useQuery('get', '/api/v1/workloads', ALL).data;
  const batches = api.useQuery('get', '/api/v1/batches', LAST).data;

  return useMemo(
    () => [
      ...numbered(query),
      ...(query.trim() === '' ? chosen.map(again) : []),
      ...pages(),
      ...actions(setColorScheme),
      ...(batches?.items ?? []).map(batchEntry),
      ...(experiments?.items ?? []).map(documentEntry('experiment')),
      ...(links?.items ?? []).map(documentEntry('link')),
      ...(variants?.items ?? []).map(documentEntry('variant')),
      ...(workloads?.items ?? []).map(documentEntry('workload')),
    ],
    [query, chosen, setColorScheme, experiments, links, variants, workloads, batches],
  );
}

function pages(): Entry[] {
  return PAGES.map(({ label, to, icon, letter }) => ({
    id: `page:${to}`,
    group: 'Pages',
    label,
    keys: `g ${letter}`,
    icon,
    choose: to,
  }));
}

function actions(setColors: (colors: 'light' | 'dark' | 'auto') => void): Entry[] {
  const action = (
    label: string,
    icon: Entry['icon'],
    choose: Entry['choose'],
    more: { readonly words?: string; readonly keys?: string } = {},
  ): Entry => ({ id: `action:${label}`, group: 'Actions', label, icon, choose, ...more });
  const colors = (label: string, icon: Entry['icon'], scheme: 'light' | 'dark' | 'auto') =>
    action(label, icon, () => setColors(scheme), { words: 'theme colors mode' });
  return [
    action('Begin a guided first experiment', IconSchool, to.welcome, { words: 'welcome tour help start' }),
    action('Import a recording', IconFileImport, to.importRecording, {
      words: 'link drive test csv mahimahi ping iperf upload',
    }),
    action('Import delays or a trace', IconFileImport, to.importTrace, { words: 'link mahimahi csv upload' }),
    action('Upload a capsule', IconPackageImport, to.uploadCapsule, { words: 'import run zip' }),
    action('Find where two runs part', IconArrowsSplit2, to.difference(), {
      words: 'first difference diff compare decision',
    }),
    action('Follow a metric over batches', IconTimeline, to.trends, {
      words: 'trend change nightly regression history',
    }),
    action('Show keyboard shortcuts', IconKeyboard, help.open, { words: 'shortcuts help', keys: '?' }),
    colors('Light colours', IconSun, 'light'),
    colors('Dark colours', IconMoon, 'dark'),
    colors('Colours of the system', IconBrightness, 'auto'),
  ];
}

const documentEntry =
  (kind: DocumentKind) =>
  ({ name, title, source }: Schema<'DocumentLine'>): Entry => {
    const one = {
      id: `${kind}:${name}`,
      label: name,
      words: `${kind} ${source}`,
      choose: to.document(kind, name),
    };
    if (kind !== 'experiment')
      return { ...one, group: 'Profiles', about: `${capital(kind)}: ${title}`, icon: IconWaveSine };
    const icon = name.startsWith('papers/') ? IconBook2 : IconFlask;
    return { ...one, group: 'Experiments', about: title, icon };
  };

function batchEntry({ id, experiment, title, state, total }: Schema<'BatchView'>): Entry {
  return {
    id: `batch:${id}`,
    group: 'Batches',
    label: `Batch ${id}: ${experiment}`,
    about: `${total} runs, ${state}. ${title}`,
    icon: IconChartHistogram,
    choose: to.batch(id),
  };
}

function numbered(query: string): Entry[] {
  const asked = numberIn(query);
  if (asked === null) return [];
  const { number, of } = asked;
  // Their words have the query whole, so that it finds them in every way of writing it.
  const words = query.toLowerCase();
  const run: Entry = {
    id: `run:${number}`,
    group: 'By number',
    label: `Run ${number}`,
    words,
    icon: IconPlayerPlay,
    choose: to.run(number),
  };
  const batch: Entry = {
    id: `batch-number:${number}`,
    group: 'By number',
    label: `Batch ${number}`,
    words,
    icon: IconChartHistogram,
    choose: to.batch(number),
  };
  return of === 'run' ? [run] : of === 'batch' ? [batch] : [run, batch];
}

function again({ label, to }: Chosen): Entry {
  return { id: `again:${to}`, group: 'Recent', label, icon: IconClock, choose: to };
}
