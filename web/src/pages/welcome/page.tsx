import './welcome.css';

import { Button, Group, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';

import { api } from '../../api/client';
import { isMissing } from '../../api/failure';
import { Asked } from '../../ui/asked';
import { LinkButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { BEGINNING, isDone, isOpen, nextStep, STEPS, useProgress, type Step } from './progress';
import { CompareStep, UnderstandStep, WatchStep } from './results';
import { DrawStep, RunStep, type StepProps } from './steps';

const TITLES: Readonly<Record<Step, string>> = {
  draw: 'Make a link hold',
  run: 'Run three senders on it',
  watch: 'Watch them',
  understand: 'Look into one run',
  compare: 'Compare',
};

/** A first experiment, step by step, for real. The address has the step; this browser remembers how far one is. */
export function Component() {
  const [progress, change] = useProgress();
  const { params, change: changeAddress } = useAddress();
  const asked = STEPS.find((step) => step === params.get('step'));
  // Where one came in: nobody is moved on while they look at what they did.
  const [arrived] = useState(() => nextStep(progress));
  const step = [asked, arrived].find((one) => one !== undefined && isOpen(one, progress)) ?? 'draw';
  const go = (next: Step) => changeAddress({ step: next }, 'push');
  const after = STEPS[STEPS.indexOf(step) + 1] as Step | undefined;
  const props: StepProps = {
    progress,
    change,
    onNext: () => {
      if (after) go(after);
    },
  };
  const again = () => {
    change(BEGINNING);
    go('draw');
  };
  return (
    <Page
      title="A first experiment"
      about="Five minutes, five steps: everything you see is measured here and now. You can leave at any time and continue later."
      actions={
        <>
          <LinkButton to={to.home}>Leave</LinkButton>
          <Button onClick={again} disabled={progress === BEGINNING}>
            Begin again
          </Button>
        </>
      }
    >
      <Stack gap="lg">
        <nav aria-label="Steps">
          <ol className="welcome-steps">
            {STEPS.map((one, i) => (
              <li key={one}>
                <button
                  type="button"
                  disabled={!isOpen(one, progress)}
                  aria-current={one === step ? 'step' : undefined}
                  onClick={() => go(one)}
                >
                  <span className="welcome-number" aria-hidden>
                    {isDone(one, progress) ? <IconCheck size={16} /> : i + 1}
                  </span>
                  <span>
                    {TITLES[one]}
                    {isDone(one, progress) && <VisuallyHidden component="span"> (done)</VisuallyHidden>}
                  </span>
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <Paper component="section" withBorder p={{ base: 'sm', sm: 'lg' }} aria-labelledby="step">
          <Stack>
            <Title order={2} size="h3" id="step">
              {STEPS.indexOf(step) + 1}. {TITLES[step]}
            </Title>
            {step === 'draw' && <DrawStep {...props} />}
            {step === 'run' && <RunStep {...props} />}
            {progress.batch !== null && step !== 'draw' && step !== 'run' && (
              <OfBatch id={progress.batch} step={step} props={props} onAgain={again} />
            )}
          </Stack>
        </Paper>
      </Stack>
    </Page>
  );
}

interface OfBatchProps {
  readonly id: number;
  readonly step: Exclude<Step, 'draw' | 'run'>;
  readonly props: StepProps;
  readonly onAgain: () => void;
}

/** The steps that need the runs. */
function OfBatch({ id, step, props, onAgain }: OfBatchProps) {
  const query = api.useQuery('get', '/api/v1/batches/{id}', { params: { path: { id } } });
  if (query.data === undefined && isMissing(query.error))
    return (
      <Group>
        <Text>The runs of this tour, batch {id}, have been deleted.</Text>
        <Button onClick={onAgain} variant="filled">
          Begin again
        </Button>
      </Group>
    );
  const Chosen = { watch: WatchStep, understand: UnderstandStep, compare: CompareStep }[step];
  return (
    <Asked query={query} failed={`Batch ${id} could not be read`} what={`batch ${id}`} rows={5}>
      {(batch) => <Chosen {...props} batch={batch} />}
    </Asked>
  );
}
