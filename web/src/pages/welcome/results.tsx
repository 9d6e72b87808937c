import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { useAllRuns } from '../../api/all-runs';
import { ns } from '../../lib/brand';
import { formatInstant } from '../../lib/format';
import { resultsOf } from '../../parts/results';
import { NOT_KNOWN, useResolved } from '../../parts/use-resolved';
import { SummaryTable, type SummaryView } from '../../results/summary-table';
import { LinkButton, TextLink } from '../../ui/buttons';
import { Asked, both, Failure, Waiting } from '../../ui/asked';
import { to } from '../../ui/links';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { withView } from '../../ui/use-view';
import { tellingEpisode, worstRepetition } from './experiment';
import type { StepProps } from './steps';

interface Props extends StepProps {
  readonly batch: Schema<'BatchView'>;
}

/** Watch the runs come in, and see what they measured. */
export function WatchStep({ batch, progress, change, onNext }: Props) {
  const ended = batch.state === 'ended';
  useEffect(() => {
    if (ended && !progress.ended) change({ ended: true });
  }, [ended, progress.ended, change]);
  return (
    <Stack>
      <Text maw="75ch">
        Each run is a whole TCP connection, simulated packet by packet in virtual time. Every packet has a
        fate, so that every decision of a sender can be judged: was this timeout right? Did that have to be
        sent again?
      </Text>
      <Group gap="sm">
        <BatchBadge batch={batch} />
        <TextLink to={to.batch(batch.id)} underline="always">
          The page of batch {batch.id}
        </TextLink>
      </Group>
      <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} />
      <Measured batch={batch} />
      {ended && (
        <Group>
          <Button onClick={onNext} variant="filled">
            Why? Look into a run
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Measured({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const results = useResults(batch.id);
  const resolved = useResolved(batch.id).data;
  const [view, setView] = useState<SummaryView>({ all: false, sort: null });
  return (
    <Asked query={results} failed="The results could not be read" what="the first results" rows={3}>
      {(loaded) => {
        const cells = loaded.cells.filter(({ runs }) => runs > 0);
        if (cells.length === 0) return <Waiting what="the first results" rows={3} />;
        return (
          <div>
            <SummaryTable
              results={resultsOf(cells, resolved ?? NOT_KNOWN, batch.repetitions)}
              view={view}
              onView={setView}
            />
          </div>
        );
      }}
    </Asked>
  );
}

/** Open a run where its timeout was spurious, and read why. */
export function UnderstandStep({ batch, change, onNext }: Props) {
  const results = useResults(batch.id);
  const runs = useAllRuns({ batch: batch.id, variant: 'sack' });
  return (
    <Asked query={both(results, runs)} failed="The runs could not be read" what="the runs" rows={6}>
      {([loaded, all]) => {
        const repetition = worstRepetition(loaded, 'sack');
        const run = all.find((one) => one.repetition === (repetition ?? 1) && one.state === 'done');
        if (run)
          return (
            <TellingRun
              run={run}
              needless={repetition !== null}
              onOpen={() => change({ opened: true })}
              onNext={onNext}
            />
          );
        return (
          <Text maw="75ch">
            No run of sack has a result. <Link to={to.batch(batch.id)}>Batch {batch.id}</Link> says why, and
            can queue them again.
          </Text>
        );
      }}
    </Asked>
  );
}

interface TellingProps {
  readonly run: Schema<'RunLine'>;
  readonly needless: boolean;
  readonly onOpen: () => void;
  readonly onNext: () => void;
}

function TellingRun({ run, needless, onOpen, onNext }: TellingProps) {
  const episodes = api.useQuery('get', '/api/v1/runs/{id}/episodes', { params: { path: { id: run.id } } });
  const episode = episodes.data ? tellingEpisode(episodes.data.items) : null;
  const number = episode?.number ?? 0;
  const story = api.useQuery(
    'get',
    '/api/v1/runs/{id}/episodes/{number}',
    { params: { path: { id: run.id, number } } },
    { enabled: number > 0 },
  );
  if (episodes.error) return <Failure title="The episodes could not be read" error={episodes.error} />;
  if (!episodes.data) return <Waiting what="the episodes" rows={6} />;
  return (
    <Stack>
      <Text maw="75ch">
        {needless
          ? `Of all runs of sack, repetition ${run.repetition} made the most unnecessary retransmissions. This is its story, as found in the packets:`
          : `No run of sack made an unnecessary retransmission on the link that you drew. This is repetition ${run.repetition}; draw a longer hold for another picture.`}
      </Text>
      {story.data && (
        <Text component="ol" m={0} pl="lg" maw="85ch">
          {story.data.story.map(({ at_ns, text }, i) => (
            <li key={i}>
              <Text span className="numeric" c="dimmed">
                {formatInstant(at_ns)}
              </Text>{' '}
              {text}
            </li>
          ))}
        </Text>
      )}
      <Text maw="75ch">
        Open the run: the diagram shows every segment over time. Unnecessary retransmissions are vermillion,
        necessary ones blue; the lanes below show the link, the queue and the window on the same axis.
      </Text>
      <Group>
        <LinkButton to={addressOf(run.id, episode)} onClick={onOpen} variant="filled">
          Open run {run.id} at the timeout
        </LinkButton>
        <Button onClick={onNext}>Go on to the comparison</Button>
      </Group>
    </Stack>
  );
}

/** The run's page, with its diagram at the episode and some time around it. */
function addressOf(run: number, episode: Schema<'EpisodeLine'> | null): string {
  if (!episode) return to.run(run);
  const end = episode.recovered_ns ?? episode.ended_ns ?? episode.onset_ns + 10e9;
  const air = (end - episode.onset_ns) * 0.15;
  const view = { t0: ns(Math.max(0, episode.onset_ns - air)), t1: ns(end + air), y: null };
  const params = withView(new URLSearchParams({ episode: String(episode.number) }), view);
  return `${to.run(run)}?${params.toString()}`;
}

/** Compare, and go on. */
export function CompareStep({ batch, change }: Props) {
  const results = useResults(batch.id);
  const repetition = (results.data && worstRepetition(results.data, 'sack')) ?? 1;
  return (
    <Stack>
      <Text maw="75ch">
        Now all three side by side: the same link, the same hold, three reactions. The comparison aligns their
        runs of repetition {repetition} at the hold that you drew, shows how the numbers spread over the
        repetitions, and says whether the differences are more than chance.
      </Text>
      <Measured batch={batch} />
      <Group>
        <LinkButton
          to={comparisonOf(batch.id, repetition)}
          onClick={() => change({ compared: true })}
          variant="filled"
        >
          Compare the three
        </LinkButton>
      </Group>
      <Text fw={600}>What next?</Text>
      <Stack gap={4} component="ul" m={0} pl="lg">
        <li>
          <Link to={to.newDocument('experiment', batch.experiment)}>Change this experiment</Link>: another
          link, other variants, more repetitions.
        </li>
        <li>
          <Link to={to.papers}>See papers repeated</Link>: their tables and figures, their numbers beside
          ours.
        </li>
        <li>
          <Link to={to.testbeds}>See what this machine can run</Link>: real kernels in real time, if it can.
        </li>
      </Stack>
    </Stack>
  );
}

/** The comparison of the run that was looked into, aligned at what was drawn: gprs has no script but that. */
function comparisonOf(batch: number, repetition: number): string {
  const params = new URLSearchParams({ repetition: String(repetition), at: 'script:1' });
  return `${to.compare(batch)}?${params.toString()}`;
}

function useResults(id: number) {
  return api.useQuery('get', '/api/v1/batches/{id}/results', { params: { path: { id } } });
}
