import { Collapse, Group, Paper, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';

import { inOrder, metricInWords, metricLabel, metricOf, metricTitle, formatMetric } from '../lib/metrics';
import { Row, WideTable, numeric } from '../ui/table';

type Metrics = Readonly<Record<string, number>>;

const FIRST = [
  'elapsed_s',
  'goodput_bps',
  'packets_lost',
  'retransmissions',
  'unnecessary_retransmissions',
  'spurious_timeouts',
  'genuine_timeouts',
  'detection_delay_s',
  'exit_code',
  'arrived_down_bps',
  'arrived_up_bps',
  'delay_down_s',
  'delay_up_s',
];

/** What a run measured: what matters most large, all of it in a table. */
export function KeyMetrics({ metrics }: { readonly metrics: Metrics }) {
  const [all, { toggle }] = useDisclosure();
  const names = inOrder(Object.keys(metrics));
  const first = FIRST.filter((name) => name in metrics);
  return (
    <Stack gap="xs" component="section" aria-label="Metrics">
      <SimpleGrid cols={{ base: 2, xs: 3, md: 4, lg: first.length }} spacing={6} component="dl" m={0}>
        {first.map((name) => (
          <Tile key={name} name={name} value={metrics[name]} />
        ))}
      </SimpleGrid>
      <UnstyledButton onClick={toggle} aria-expanded={all} aria-controls="all-metrics">
        <Group gap={4}>
          {all ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          <Text size="sm">All {names.length} metrics</Text>
        </Group>
      </UnstyledButton>
      <Collapse expanded={all} id="all-metrics">
        <WideTable
          label="All metrics"
          minWidth={420}
          verticalSpacing={4}
          heads={['Metric', numeric('Value'), 'Definition']}
        >
          {names.map((name) => (
            <Row
              key={name}
              head={metricTitle(metricOf(name))}
              cells={[
                numeric(formatMetric(metrics[name], metricOf(name))),
                { c: 'dimmed', children: metricOf(name).definition },
              ]}
            />
          ))}
        </WideTable>
      </Collapse>
    </Stack>
  );
}

function Tile({ name, value }: { readonly name: string; readonly value: number }) {
  const metric = metricOf(name);
  return (
    <Paper withBorder px={8} py={6} title={metric.definition}>
      <Text component="dt" size="xs" c="dimmed" lh={1.25} mih="2.5em">
        {metricLabel(metric)}
      </Text>
      <Text
        component="dd"
        m={0}
        fz={15}
        fw={600}
        style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
      >
        {metricInWords(value, metric)}
      </Text>
    </Paper>
  );
}
