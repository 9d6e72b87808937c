import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Text } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { plural } from '../../lib/format';
import { ask } from '../../ui/ask';
import { AskedPage, Nowhere } from '../../ui/asked';
import { SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { Page, Section } from '../../ui/page';
import { citationOf, titleOf } from '../../lib/bibliography';
import { OwnAdditions, Statements as List } from '../../results/statements';
import { Experiment } from './experiment';
import { DEPENDS, MEANING, tally } from './tally';

const ABOVE = [{ label: 'Papers', to: to.papers }];

/** A paper: each of its tables and figures with the paper’s numbers beside ours. */
export function Component() {
  const name = useParams()['paper'] ?? '';
  return (
    <AskedPage
      query={api.useQuery('get', '/api/v1/papers/{paper}', { params: { path: { paper: name } } })}
      title={name}
      above={ABOVE}
      failed={`${name} could not be read`}
      what={name}
      rows={12}
      none={
        <Nowhere
          title={name}
          above={ABOVE}
          heading="There is no paper of this name"
          go={['To the papers', to.papers]}
        >
          A paper is a folder of experiments in papers/.
        </Nowhere>
      }
    >
      {(paper) => <PaperPage name={name} paper={paper} />}
    </AskedPage>
  );
}

function PaperPage({ name, paper }: { readonly name: string; readonly paper: Schema<'PaperView'> }) {
  const counts = tally(paper);
  const sofar =
    counts.run === 0
      ? `${plural(paper.experiments.length, 'experiment')}, none of them run here yet: the numbers below are the paper’s alone.`
      : `${counts.run} of ${paper.experiments.length} experiments have been run here. ${counts.words}.`;
  return (
    <Page
      title={titleOf(name)}
      above={ABOVE}
      about={[citationOf(name) ?? '', sofar].join(' ').trim()}
      actions={<RunAll name={name} experiments={paper.experiments} />}
    >
      <Statements statements={paper.statements} additions={paper.own_additions} />
      {paper.experiments.map((experiment) => (
        <Experiment key={experiment.name} experiment={experiment} />
      ))}
    </Page>
  );
}

interface RunAllProps {
  readonly name: string;
  readonly experiments: readonly Schema<'PaperExperiment'>[];
}

function RunAll({ name, experiments }: RunAllProps) {
  const keys = useCreationKeys();
  const [busy, setBusy] = useState(false);
  const create = api.useMutation('post', '/api/v1/batches');
  const queue = async () => {
    setBusy(true);
    let queued = 0;
    const bodies = experiments.map(({ name: experiment }) => ({
      experiment,
      testbed: 'sim' as const,
      captures: true,
      priority: 0,
    }));
    try {
      for (const body of bodies) {
        await create.mutateAsync({ body, params: { header: { 'Idempotency-Key': keys.keyOf(body) } } });
        queued += 1;
      }
      for (const body of bodies) keys.done(body);
      notifyDone(`${plural(queued, 'experiment')} of ${name} are queued`);
    } catch (error) {
      notifyFailure(`${queued} of ${experiments.length} experiments were queued`, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SignButton
      sign={IconPlayerPlay}
      loading={busy}
      onClick={() => {
        ask({
          title: `Run all of ${name}?`,
          about: `${plural(experiments.length, 'experiment')} will be queued, simulated, each with its own repetitions and seed. Existing results are reused.`,
          yes: 'Run all',
          no: 'Not now',
          onYes: () => void queue(),
        });
      }}
      variant="filled"
    >
      Run all
    </SignButton>
  );
}

interface Props {
  readonly statements: readonly Schema<'Graded'>[];
  readonly additions: readonly Schema<'OwnAddition'>[];
}

/** What the paper states, each with its grade, its checks, and the published numbers beside ours. */
function Statements({ statements, additions }: Props) {
  return (
    <Section title="What the paper states">
      <Text size="sm" maw="80ch">
        {DEPENDS} Numbers are ratios of two variants, or values of one, with the 95 % interval of ours.
      </Text>
      <List statements={statements} meaning={(grade) => MEANING[grade]} />
      <OwnAdditions additions={additions} />
    </Section>
  );
}
