import { SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';

import { formatRate, groupThousands } from '../../lib/format';
import { usePalette } from '../../paint/use-palette';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { clockTime } from '../../ui/time';
import { Waiting } from '../../ui/asked';
import { client } from '../../api/client';
import { colorOf, CourseChart, type Line } from './course-chart';
import { type Columns, columnsOf, type History, type Measure, merged, newestOf } from './history';
import { marksInWords } from './marks';
import { EVERY_MS, isWithout } from './use-emulator';

const both = (measure: Measure): readonly Line[] => [
  { way: 'down', measure, name: 'down' },
  { way: 'up', measure, name: 'up' },
];

const RATE: readonly Line[] = [
  { way: 'down', measure: 'limit', name: 'limit down', dashed: true },
  { way: 'up', measure: 'limit', name: 'limit up', dashed: true },
  ...both('carried'),
];

const CHARTS = [
  { title: 'Rate', lines: RATE, inWords: formatRate, least: 1000, stepped: false },
  { title: 'Delay, one way', lines: both('delay'), inWords: inMs, least: 1, stepped: true },
  { title: 'Queue', lines: both('queue'), inWords: inPackets, least: 4, stepped: true },
  { title: 'Lost', lines: both('lost'), inWords: inPacketsASecond, least: 1, stepped: false },
] as const;

/** Rate, delay, queue and losses over the last minutes; of an emulator that is `gone`, what was known of them. */
export function Course({ gone = false }: { readonly gone?: boolean }) {
  const history = useHistory();
  const palette = usePalette();
  const columns = useMemo(() => (history === undefined ? null : columnsOf(history)), [history]);
  if (gone && history === undefined) return null;
  return (
    <Section title="The last ten minutes">
      {history === undefined || columns === null ? (
        <Waiting what="the last minutes" rows={6} />
      ) : (
        <>
          <Muted className="course-legend">
            <span>
              <i style={{ background: colorOf(palette, 'down') }} aria-hidden /> down, to the client
            </span>
            <span>
              <i style={{ background: colorOf(palette, 'up') }} aria-hidden /> up, to the server
            </span>
            <span>
              <i className="dashed" aria-hidden /> the link’s rate in force
            </span>
            <span>
              <i className="band" style={{ background: palette.hold }} aria-hidden /> changed by hand
            </span>
            <span>
              <i className="dotted" aria-hidden /> another link began
            </span>
          </Muted>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            {CHARTS.map(({ title, lines, inWords, least, stepped }) => (
              <CourseChart
                key={title}
                title={title}
                lines={lines}
                history={history}
                columns={columns}
                inWords={inWords}
                least={least}
                stepped={stepped}
                label={`${title} over the last minutes: ${lastInWords(columns, lines, inWords)}.`}
              />
            ))}
          </SimpleGrid>
          <Marks history={history} />
        </>
      )}
    </Section>
  );
}

/** What was done to the link, in words: the charts only show when. */
function Marks({ history }: { readonly history: Parameters<typeof marksInWords>[0] }) {
  const marks = marksInWords(history);
  if (marks.length === 0) return null;
  return (
    <ol className="marks" aria-label="What was done to the link, newest first">
      {marks.map(({ at, text }) => (
        <li key={`${at} ${text}`}>
          <Muted span>
            <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
          </Muted>{' '}
          <Text size="sm" span>
            {text}
          </Text>
        </li>
      ))}
    </ol>
  );
}

function inMs(value: number): string {
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ms`;
}

function inPackets(value: number): string {
  return Number.isInteger(value) ? groupThousands(value) : '';
}

function inPacketsASecond(value: number): string {
  return `${Number(value.toFixed(1))} /s`;
}

/** The last values: `down 384 kbit/s, up nothing known`. */
function lastInWords(columns: Columns, lines: readonly Line[], inWords: (value: number) => string): string {
  return lines
    .map(({ way, measure, name }) => {
      const value = columns[way][measure].at(-1) ?? null;
      return `${name} ${value === null ? 'not known' : inWords(value) || '0'}`;
    })
    .join(', ');
}

const KEY = ['emulator-history'];

/** The link's last minutes. They are kept while the page is away, and only what is new is asked for. */
function useHistory(): History | undefined {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<History> => {
      const before = queries.getQueryData<History>(KEY);
      const query = { after: newestOf(before) };
      const { data: newer } = await client.GET('/api/v1/emulator/history', { params: { query }, signal });
      if (newer === undefined) throw new Error('the emulator’s history has no content');
      return merged(before, newer);
    },
    refetchInterval: ({ state }) => (isWithout(state.error) ? false : EVERY_MS),
    staleTime: 0,
  });
  return data;
}
