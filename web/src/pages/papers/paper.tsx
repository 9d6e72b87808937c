import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';

import { api, type Schema } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { useCreationKeys } from '../../api/creation-key';
import { plural } from '../../lib/format';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { Experiment } from './experiment';
import { citationOf, titleOf } from '../../lib/bibliography';
import { Statements } from './statements';
import { tally } from './tally';

const ABOVE = [{ label: 'Papers', to: to.papers }];

/** A paper: each of its tables and figures with the paper’s numbers beside ours. */
export function Component() {
  const name = useParams()['paper'] ?? '';
  const {
    data,
    error: thrown,
    refetch,
  } = api.useQuery('get', '/api/v1/papers/{paper}', {
    params: { path: { paper: name } },
  });
  // The client throws ApiFailure; the document's own shape of errors never comes.
  const error: unknown = thrown;
  if (error instanceof ApiFailure && (error.status === 404 || error.status === 422)) {
    return (
      <Page title={name} above={ABOVE}>
        <Empty
          title="There is no paper of this name"
          action={
            <Button component={Link} to={to.papers} mt="sm">
              To the papers
            </Button>
          }
        >
          A paper is a folder of experiments in papers/.
        </Empty>
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title={name} above={ABOVE}>
        {error !== null ? (
          <Failure title={`${name} could not be read`} error={error} onRetry={() => void refetch()} />
        ) : (
          <Waiting what={name} rows={12} />
        )}
      </Page>
    );
  }
  const told = tally(data);
  const sofar =
    told.run === 0
      ? `${plural(data.experiments.length, 'experiment')}, none of them run here yet: the numbers below are the paper’s alone.`
      : `${told.run} of ${data.experiments.length} experiments have been run here. ${told.words}.`;
  return (
    <Page
      title={titleOf(name)}
      above={ABOVE}
      about={[citationOf(name) ?? '', sofar].join(' ').trim()}
      actions={<RunAll name={name} experiments={data.experiments} />}
    >
      <Statements statements={data.statements} additions={data.own_additions} />
      {data.experiments.map((experiment) => (
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
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={busy}
      onClick={() => {
        modals.openConfirmModal({
          title: `Run all of ${name}?`,
          children: (
            <Text size="sm">
              {plural(experiments.length, 'experiment')} will be queued, simulated, each with its own
              repetitions and seed. Existing results are reused.
            </Text>
          ),
          labels: { confirm: 'Run all', cancel: 'Not now' },
          onConfirm: () => void queue(),
        });
      }}
    >
      Run all
    </Button>
  );
}
