import { Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';

import { api } from '../../api/client';
import { OverTime, WaysLegend } from '../../figures/over-time';
import { formatOctets, formatRate, formatTime } from '../../lib/format';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { columnsOf, commandsOf, endInWords, type CommandReport, type TrafficCourse } from './command-report';

/** Of a run of commands: how they ended, what they wrote, and what crossed the link meanwhile. */
export function Commands({ run }: { readonly run: number }) {
  const analysis = api.useQuery('get', '/api/v1/runs/{id}/analysis', { params: { path: { id: run } } });
  const reports = analysis.data === undefined ? null : commandsOf(analysis.data);
  if (reports === null) return null;
  const { client, server } = reports.commands;
  return (
    <Section title="Commands">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {client && <Command where="client" report={client} />}
        {server && <Command where="server" report={server} />}
      </SimpleGrid>
      <Traffic course={reports.traffic} />
    </Section>
  );
}

function Command({ where, report }: { readonly where: string; readonly report: CommandReport }) {
  const streams = [
    ['output', report.output],
    ['errors', report.errors],
  ] as const;
  return (
    <Stack gap={4}>
      <Text size="sm">
        At the {where}: {endInWords(report)}, after {formatTime(report.elapsed_s * 1e9)}
      </Text>
      {streams
        .filter(([, text]) => text !== '')
        .map(([name, text]) => (
          <Code
            key={name}
            block
            mah={220}
            style={{ overflow: 'auto' }}
            tabIndex={0}
            role="region"
            aria-label={`Standard ${name === 'output' ? 'output' : 'error'} of the ${where}'s command`}
          >
            {text}
          </Code>
        ))}
      {report.left_out_bytes > 0 && (
        <Muted>{formatOctets(report.left_out_bytes)} of earlier output were not kept.</Muted>
      )}
    </Stack>
  );
}

function Traffic({ course }: { readonly course: TrafficCourse }) {
  const columns = useMemo(() => columnsOf(course), [course]);
  if (columns.rate.at.length === 0) return <Text size="sm">No packet crossed the link.</Text>;
  const charts = [
    ['What arrived', columns.rate, formatRate],
    ['Delay on the link', columns.delay, seconds],
    ['Packets lost', columns.lost, String],
  ] as const;
  return (
    <Stack gap={4}>
      <WaysLegend />
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {charts.map(([title, { at, down, up }, format]) => (
          <div key={title}>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <OverTime
              label={`${title} over time, in both directions`}
              at={at}
              down={down}
              up={up}
              format={format}
            />
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

const seconds = (value: number) => formatTime(value * 1e9);
