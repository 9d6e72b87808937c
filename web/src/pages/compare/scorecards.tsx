import { Stack, Table, Text, Title } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { formatMetric, metricOf } from '../../lib/metrics';
import type { Choice } from './choice';
import type { Titles } from './titles';
import { WideTable } from '../../ui/wide-table';

interface Props {
  readonly batch: number;
  readonly choice: Choice;
  readonly titles: Titles;
}

const COLUMNS = [
  { metric: 'detector_true_positives', name: 'Caught', meaning: 'spurious, and said so' },
  { metric: 'detector_false_negatives', name: 'Missed', meaning: 'spurious, and not said so' },
  { metric: 'detector_true_negatives', name: 'Respected', meaning: 'genuine, and treated so' },
  { metric: 'detector_false_positives', name: 'Mistaken', meaning: 'genuine, and called spurious' },
  {
    metric: 'detector_undecided',
    name: 'Undecided',
    meaning: 'it gave up; counts as not called spurious, too',
  },
  {
    metric: 'spurious_fast_retransmits',
    name: 'Fast, spurious',
    meaning: 'fast retransmits of segments that were not lost; detectors judge timeouts alone',
  },
] as const;

/** How often each variant's detector was right about its timeouts, over all runs. */
export function Scorecards({ batch, choice, titles }: Props) {
  const results = api.useQuery('get', '/api/v1/batches/{id}/results', { params: { path: { id: batch } } });
  const cells = choice.variants.flatMap(
    (variant) =>
      results.data?.cells.find(
        (cell) => cell.variant === variant && cell.link === choice.link && cell.testbed === choice.testbed,
      ) ?? [],
  );
  if (!cells.some(({ metrics }) => 'detector_true_positives' in metrics)) return null;
  const most = mostTimeouts(cells.filter(({ variant }) => !titles.isKernel(variant)));
  return (
    <Stack component="section" gap="xs" aria-labelledby="scorecards">
      <Title order={2} size="h4" id="scorecards">
        Detection of spurious timeouts
      </Title>
      <Text size="sm" c="dimmed" maw="90ch">
        What each variant’s detector said of its timeouts, all runs together, against what happened on the
        link. A variant without a detector misses every spurious timeout.
      </Text>
      <WideTable label="Scorecards" minWidth={620}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Variant</Table.Th>
              {COLUMNS.map(({ metric, name, meaning }) => (
                <Table.Th key={metric} scope="col" className="numeric" title={meaning}>
                  {name}
                </Table.Th>
              ))}
              <Table.Th scope="col" className="numeric" title={metricOf('detection_delay_s').definition}>
                Delay (s)
              </Table.Th>
              <Table.Th scope="col">Of all timeouts</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {cells.map((cell) => (
              <Row key={cell.variant} cell={cell} titles={titles} most={most} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Text size="sm" c="dimmed">
        Bars of one scale: <i className="share" data-kind="tp" /> caught,{' '}
        <i className="share" data-kind="fn" /> missed, <i className="share" data-kind="tn" /> respected,{' '}
        <i className="share" data-kind="fp" /> mistaken.
      </Text>
    </Stack>
  );
}

interface RowProps {
  readonly cell: Schema<'CellTold'>;
  readonly titles: Titles;
  /** The most timeouts that any variant had: all bars have one scale. */
  readonly most: number;
}

function Row({ cell, titles, most }: RowProps) {
  const title = titles.variant(cell.variant);
  if (titles.isKernel(cell.variant)) {
    return (
      <Table.Tr>
        <Table.Th scope="row">{title}</Table.Th>
        <Table.Td colSpan={COLUMNS.length + 2} c="dimmed">
          the kernel does not tell what its detector says
        </Table.Td>
      </Table.Tr>
    );
  }
  const totals = COLUMNS.map(({ metric }) => total(cell, metric));
  const [tp, fn, tn, fp] = totals;
  const delay = 'detection_delay_s' in cell.metrics ? cell.metrics['detection_delay_s'].median : null;
  const shares = [
    ['tp', tp],
    ['fn', fn],
    ['tn', tn],
    ['fp', fp],
  ] as const;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {title}
      </Table.Th>
      {totals.map((count, i) => (
        <Table.Td key={COLUMNS[i].metric} className="numeric">
          {count}
        </Table.Td>
      ))}
      <Table.Td className="numeric">
        {delay === null ? '–' : formatMetric(delay, metricOf('detection_delay_s'))}
      </Table.Td>
      <Table.Td>
        <span className="shares" aria-hidden>
          {shares.map(([kind, count]) => (
            <i key={kind} data-kind={kind} style={{ width: `${(100 * count) / most}%` }} />
          ))}
        </span>
      </Table.Td>
    </Table.Tr>
  );
}

/** The most timeouts that any of these cells had in all its runs: what the bars of all are measured by. */
export function mostTimeouts(cells: readonly Schema<'CellTold'>[]): number {
  const timeouts = (cell: Schema<'CellTold'>) =>
    COLUMNS.slice(0, 4).reduce((sum, { metric }) => sum + total(cell, metric), 0);
  return Math.max(1, ...cells.map(timeouts));
}

function total(cell: Schema<'CellTold'>, metric: string): number {
  if (!(metric in cell.metrics)) return 0;
  return cell.metrics[metric].values.reduce((sum, value) => sum + value, 0);
}
