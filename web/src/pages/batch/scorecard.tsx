import { Group, Table, Text } from '@mantine/core';

import { formatMetric, metricOf } from '../../lib/metrics';
import { Section } from '../../ui/section';
import { WideTable } from '../../ui/wide-table';
import { scoreOf, type Score } from './score';
import type { TitledCell } from './titled';

const COLUMNS = [
  { name: 'Caught', kind: 'tp', of: 'detector_true_positives' },
  { name: 'Missed', kind: 'fn', of: 'detector_false_negatives' },
  { name: 'Respected', kind: 'tn', of: 'detector_true_negatives' },
  { name: 'Mistaken', kind: 'fp', of: 'detector_false_positives' },
] as const;

/** How often each variant's detector was right about its timeouts, over all runs. */
export function Scorecard({ cells }: { readonly cells: readonly TitledCell[] }) {
  const scores = cells.map((cell) => ({ cell, score: scoreOf(cell) }));
  if (scores.every(({ score }) => score === null)) return null;
  const most = Math.max(1, ...scores.map(({ score }) => score?.timeouts ?? 0));
  return (
    <Section title="Detection of spurious timeouts">
      <Text size="sm" c="dimmed" maw="80ch">
        What each variant’s detector said of its timeouts, all runs together, against what happened on the
        link. Spurious ones are caught or missed, genuine ones respected or mistaken. A variant without a
        detector misses every spurious timeout, and none looks at that of a SYN, which is spurious where the
        round trip is longer than the first timeout. Detectors judge timeouts; of fast retransmits the link
        alone tells which were spurious.
      </Text>
      <Group gap="md" className="score-key" aria-hidden>
        {COLUMNS.map(({ name, kind }) => (
          <Text key={kind} size="xs" span>
            <i data-kind={kind} />
            {name.toLowerCase()}
          </Text>
        ))}
      </Group>
      <WideTable label="Scorecard" minWidth={640}>
        <Table aria-label="Scorecard of detectors" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Variant</Table.Th>
              {COLUMNS.map(({ name, of }) => (
                <Table.Th key={of} scope="col" className="numeric" title={metricOf(of).definition}>
                  {name}
                </Table.Th>
              ))}
              <Table.Th scope="col" className="numeric" title={metricOf('detector_undecided').definition}>
                Undecided
              </Table.Th>
              <Table.Th scope="col" className="numeric" title={metricOf('detection_delay_s').definition}>
                Delay (s)
              </Table.Th>
              <Table.Th scope="col" w="24%">
                Of all timeouts
              </Table.Th>
              <Table.Th
                scope="col"
                className="numeric"
                title={metricOf('spurious_fast_retransmits').definition}
              >
                Fast retransmits, spurious
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {scores.map(({ cell, score }) => (
              <Table.Tr key={`${cell.testbed} ${cell.link} ${cell.variant}`}>
                <Table.Th scope="row" fw={500}>
                  {cell.title}
                  {cell.detail !== '' && (
                    <Text size="xs" c="dimmed">
                      {cell.detail}
                    </Text>
                  )}
                </Table.Th>
                {score ? <Numbers score={score} cell={cell} most={most} /> : <None kernel={cell.kernel} />}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

interface NumbersProps {
  readonly score: Score;
  readonly cell: TitledCell;
  /** The most timeouts that any variant had: all bars have one scale. */
  readonly most: number;
}

function Numbers({ score, cell, most }: NumbersProps) {
  const delay = cell.metrics.get('detection_delay_s');
  return (
    <>
      {COLUMNS.map(({ kind }) => (
        <Table.Td key={kind} className="numeric">
          {score[kind]}
        </Table.Td>
      ))}
      <Table.Td className="numeric">{score.undecided}</Table.Td>
      <Table.Td className="numeric" title={delay ? 'Median of the runs’ medians' : 'No answer in any run'}>
        {delay ? formatMetric(delay.median, metricOf('detection_delay_s')) : '–'}
      </Table.Td>
      <Table.Td>
        <div className="score-bar" aria-hidden>
          {COLUMNS.map(({ kind }) => (
            <i key={kind} data-kind={kind} style={{ width: `${(100 * score[kind]) / most}%` }} />
          ))}
        </div>
      </Table.Td>
      <Table.Td className="numeric">
        {score.fastSpurious} of {score.fast}
      </Table.Td>
    </>
  );
}

function None({ kernel }: { readonly kernel: boolean }) {
  return (
    <Table.Td colSpan={COLUMNS.length + 4} c="dimmed">
      {kernel ? 'The kernel does not tell what its detector says.' : 'Not measured.'}
    </Table.Td>
  );
}
