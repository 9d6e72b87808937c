import { Group, List, MultiSelect } from '@mantine/core';
import { IconAlertTriangle, IconPlaylistAdd } from '@tabler/icons-react';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useSearchParams } from 'react-router';

import type { Schema } from '../../api/client';
import { inOrder, metricLabel, metricOf, METRICS } from '../../lib/metrics';
import { Asked } from '../../ui/asked';
import { Bullets, Muted, Notice } from '../../ui/text';
import { Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { titleIn } from '../../results/model';
import type { Resolved } from '../../parts/use-resolved';
import { plural } from '../../lib/format';
import { SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { stateInWords } from '../../ui/states';
import { givenOf, RunDialog } from '../../ui/batch/run-dialog';
import { notifyDone } from '../../ui/notify';
import { type Choice, withoutPartner } from './choice';
import { Findings } from './findings';
import { linksInWords, runsToQueue, untestedInWords } from './finding-words';
import { useComparison } from './use-comparison';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly Schema<'RunLine'>[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** Whether each variant is better than the baseline, as far as the runs can tell. */
export function Verdicts({ batch, runs, choice, titles }: Props) {
  const { change } = useAddress();
  const asked = {
    batch: batch.id,
    variants: [...choice.variants],
    ...(choice.metrics.length > 0 && { metrics: [...choice.metrics] }),
  };
  const query = useComparison(asked, ['/api/v1/batches/{id}', { params: { path: { id: batch.id } } }]);
  const here =
    query.data?.findings.filter(({ link, testbed }) => link === choice.link && testbed === choice.testbed) ??
    [];
  const candidates = choice.variants.slice(1);
  return (
    <Section title="Verdicts">
      <MetricsSelect chosen={choice.metrics} />
      <Asked query={query} failed="The variants could not be compared" what="the verdicts" rows={6}>
        {(comparison) => (
          <>
            {comparison.notes.length > 0 && <Bullets of={comparison.notes} />}
            {candidates.map((candidate) => (
              <Findings
                key={candidate}
                comparison={comparison}
                findings={here.filter((finding) => finding.candidate === candidate)}
                baseline={titleIn(titles.variants, choice.variants[0])}
                candidate={titleIn(titles.variants, candidate)}
                metric={choice.metric}
                onMetric={(metric) => change({ metric }, 'push')}
              />
            ))}
            <MoreRuns batch={batch} findings={here} />
            <Partners runs={runs} choice={choice} titles={titles} />
            <MeaningOfVerdicts comparison={comparison} shown={here} />
          </>
        )}
      </Asked>
    </Section>
  );
}

/** Which metrics verdicts are asked of; the address keeps them. */
export function MetricsSelect({ chosen }: { readonly chosen: readonly string[] }) {
  const { change } = useAddress();
  return (
    <MultiSelect
      label="Metrics"
      description="Each additional metric makes every difference harder to show (Holm’s correction)"
      placeholder={chosen.length === 0 ? 'the usual ones' : ''}
      data={METRICS.map((metric) => ({ value: metric.name, label: metricLabel(metric) }))}
      value={inOrder(chosen)}
      maw={720}
      searchable
      clearable
      hidePickedOptions
      onChange={(m) => change({ m }, 'push')}
    />
  );
}

interface MeaningProps {
  readonly comparison: Schema<'ComparisonView'>;
  /** Those of its findings that are on show. */
  readonly shown: readonly Schema<'Finding'>[];
}

/** What the words of verdicts mean, below them. */
export function MeaningOfVerdicts({ comparison, shown }: MeaningProps) {
  const { confidence, family, findings, margin } = comparison;
  return (
    <Muted maw="90ch">
      {shown.some(({ paired }) => paired)
        ? 'The same repetition of both met the same link, so runs are compared in pairs. '
        : ''}
      “Better” and “worse” mean that a test of the runs or of the mean finds a difference at{' '}
      {percent(1 - confidence)}
      {family > 1 && `, after Holm’s correction over ${family} tests`}; “equal” means within {percent(margin)}
      ; “inconclusive” means neither: these runs do not decide. {untestedInWords(findings, shown.length)}{' '}
      {linksInWords(findings)}
    </Muted>
  );
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

interface PartnersProps {
  readonly runs: readonly Schema<'RunLine'>[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** A longer list helps nobody. */
const MOST_LISTED = 10;

/** Repetitions that are left out because a run of them has no partner, and why. */
function Partners({ runs, choice, titles }: PartnersProps) {
  const alone = withoutPartner(runs, choice);
  if (alone.length === 0) return null;
  return (
    <Notice
      color="yellow"
      sign={IconAlertTriangle}
      title={`${plural(alone.length, 'repetition')} without a partner`}
    >
      <List size="sm">
        {alone.slice(0, MOST_LISTED).map(({ repetition, without }) => (
          <List.Item key={repetition}>
            Repetition {repetition}:{' '}
            {without.map(({ variant, run }, i) => (
              <span key={variant}>
                {i > 0 && ', '}
                {titleIn(titles.variants, variant)}{' '}
                {run === null ? (
                  'was not planned here'
                ) : (
                  <>
                    is <TextLink to={to.run(run.id)}>{stateInWords(run.state)}</TextLink>
                  </>
                )}
              </span>
            ))}
          </List.Item>
        ))}
        {alone.length > MOST_LISTED && <List.Item>and {alone.length - MOST_LISTED} more</List.Item>}
      </List>
    </Notice>
  );
}

interface MoreRunsProps {
  readonly batch: Schema<'BatchView'>;
  /** All that are on show. */
  readonly findings: readonly Schema<'Finding'>[];
}

/** The API gives no more repetitions to one batch than this is good for: beyond, another metric tells more. */
const MOST_OFFERED = 2000;

/** Queues as many repetitions as would decide what is open: a new batch of the same seed, in which the known runs are kept. */
function MoreRuns({ batch, findings }: MoreRunsProps) {
  const [opened, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const wanted = findings
    .filter(({ verdict }) => verdict === 'inconclusive')
    .flatMap((finding) => {
      const runs = runsToQueue(finding);
      return runs === null || runs <= batch.repetitions || runs > MOST_OFFERED
        ? []
        : [{ runs, metric: finding.metric }];
    })
    .sort((a, b) => a.runs - b.runs);
  const first = wanted.at(0);
  if (first === undefined) return null;
  return (
    <>
      <Group gap="sm">
        <SignButton sign={IconPlaylistAdd} onClick={open}>
          Queue {plural(first.runs, 'repetition')} …
        </SignButton>
        <Muted>
          They would decide {metricOf(first.metric).label}, if the difference is as large as it looks.
          {batch.testbed === 'sim' && ' The seed stays the same, so existing runs are reused.'}
        </Muted>
      </Group>
      <RunDialog
        opened={opened}
        onClose={close}
        given={{ ...givenOf(batch), repetitions: first.runs }}
        onQueued={(made) => {
          notifyDone(
            `Batch ${made.id} is queued`,
            'The comparison now shows its runs and updates as they end.',
          );
          void navigate(`${to.compare(made.id)}?${params.toString()}`);
        }}
      />
    </>
  );
}
