import { SimpleGrid, Text, useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';

import { formatRate, groupThousands } from '../../lib/format';
import { DARK, LIGHT } from '../../paint/palette';
import { Section } from '../../ui/section';
import { clockTime } from '../../ui/time';
import { Waiting } from '../../ui/waiting';
import { colorOf, CourseChart, type Line } from './course-chart';
import { columnsOf, type Columns, type Measure } from './history';
import { marksInWords } from './marks';
import { useHistory } from './use-history';

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
  const dark = useComputedColorScheme('light') === 'dark';
  const columns = useMemo(() => (history === undefined ? null : columnsOf(history)), [history]);
  const palette = dark ? DARK : LIGHT;
  if (gone && history === undefined) return null;
  return (
    <Section title="The last ten minutes">
      {history === undefined || columns === null ? (
        <Waiting what="the last minutes" rows={6} />
      ) : (
        <>
          <Text size="sm" c="dimmed" className="course-legend">
            <i style={{ background: colorOf(palette, 'down') }} aria-hidden /> down, to the client
            <i style={{ background: colorOf(palette, 'up') }} aria-hidden /> up, to the server
            <i className="dashed" aria-hidden /> the link’s rate in force
            <i className="band" style={{ background: palette.hold }} aria-hidden /> changed by hand
            <i className="dotted" aria-hidden /> another link began
          </Text>
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
          <Text size="sm" span c="dimmed">
            <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
          </Text>{' '}
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
