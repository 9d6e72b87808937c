import { Stack, Table, Text, Title, UnstyledButton } from '@mantine/core';

import type { Schema } from '../../api/client';
import { formatMetric, metricOf, metricTitle } from '../../lib/metrics';
import { Muted } from '../../ui/text';
import { changeTitle, distanceInWords, intervalInWords, neededInWords } from './finding-words';
import { Interval, reachOf } from './interval';
import { VerdictMark } from './verdict-mark';
import { WideTable, numeric } from '../../ui/table';
import './compare.css';

interface Props {
  readonly comparison: Schema<'ComparisonView'>;
  /** Of one candidate. */
  readonly findings: readonly Schema<'Finding'>[];
  readonly baseline: string;
  readonly candidate: string;
  /** The metric that the box plots show, where there are any. */
  readonly metric?: string;
  readonly onMetric?: (metric: string) => void;
}

/** One candidate against the baseline, a row for each metric. */
export function Findings({ comparison, findings, baseline, candidate, metric, onMetric }: Props) {
  const { margin, confidence } = comparison;
  const title = `${candidate} against ${baseline}`;
  const reach = reachOf(findings);
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {findings.length === 0 ? (
        <Muted>No runs of both have ended here yet.</Muted>
      ) : (
        <WideTable
          label={title}
          minWidth={980}
          verticalSpacing={6}
          className="findings"
          heads={[
            'Metric',
            'Verdict',
            numeric('Baseline'),
            numeric('Candidate'),
            changeTitle(findings, confidence),
            { ...numeric('Effect'), title: 'From −1, lower in every run, to +1' },
            'Why, and what would decide',
          ]}
        >
          {findings.map((finding) => (
            <Row
              key={finding.metric}
              finding={finding}
              reach={reach}
              margin={margin}
              confidence={confidence}
              current={finding.metric === metric}
              {...(onMetric && { onMetric })}
            />
          ))}
        </WideTable>
      )}
    </Stack>
  );
}

interface RowProps {
  readonly finding: Schema<'Finding'>;
  readonly reach: number;
  readonly margin: number;
  readonly confidence: number;
  readonly current: boolean;
  readonly onMetric?: (metric: string) => void;
}

function Row({ finding, reach, margin, confidence, current, onMetric }: RowProps) {
  const about = metricOf(finding.metric);
  const interval = finding.ratio === null ? null : intervalInWords(finding.ratio);
  const median = (side: 0 | 1) => {
    const value = finding.medians?.at(side);
    return value === undefined ? '–' : formatMetric(value, about);
  };
  return (
    <Table.Tr data-verdict={finding.verdict}>
      <Table.Th scope="row" fw={400}>
        {onMetric === undefined ? (
          <span title={about.definition}>{metricTitle(about)}</span>
        ) : (
          <UnstyledButton
            className="metric"
            aria-pressed={current}
            title={`${about.definition} Choose it to see its distribution below.`}
            onClick={() => onMetric(finding.metric)}
          >
            {metricTitle(about)}
          </UnstyledButton>
        )}
        {about.better !== null && (
          <Text size="xs" c="dimmed">
            {about.better} is better
          </Text>
        )}
      </Table.Th>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <VerdictMark verdict={finding.verdict} />
        {finding.by === 'mean' && (
          <Text size="xs" c="dimmed">
            by the mean
          </Text>
        )}
      </Table.Td>
      <Table.Td className="numeric">{median(0)}</Table.Td>
      <Table.Td className="numeric">{median(1)}</Table.Td>
      <Table.Td>
        <span className="change">
          <span>
            {distanceInWords(finding)}
            {interval !== null && <span className="spread">{interval}</span>}
            {interval !== null && finding.ratio?.at_least === true && (
              <span className="spread">at least {confidence * 100} %</span>
            )}
          </span>
          <Interval finding={finding} reach={reach} margin={margin} />
        </span>
      </Table.Td>
      <Table.Td className="numeric">
        {finding.effect === null ? '–' : finding.effect.toFixed(2).replace('-', '−')}
      </Table.Td>
      <Table.Td c="dimmed" fz="xs" miw={250}>
        {[finding.why, ...neededInWords(finding, margin)].join('. ')}.
      </Table.Td>
    </Table.Tr>
  );
}
