import { Badge, Button, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Problem } from '../../api/failure';
import { plural } from '../../lib/format';
import type { Verdict } from '../../toml/use-validation';
import { Bullets, Muted, Notice } from '../../ui/text';
import { SignButton } from '../../ui/buttons';
import { Failure, Problems } from '../../ui/asked';
import { to } from '../../ui/links';
import { hasKernel, isLive } from '../../ui/testbeds';
import type { Draft, MadeKind } from './draft';
import { estimateInWords, type Estimate } from './estimate';
import type { Saver } from './use-saving';

/** Which button is at work: until the engine's word is there, all is saved and, if wanted, queued. */
export type Leaving = 'save' | 'run' | null;

interface Props {
  readonly draft: Draft;
  readonly verdict: Verdict;
  /** What is wrong at no field of the form. */
  readonly problems: readonly Problem[];
  /** Everything that stands in the way, in words, as far as it is known before the engine. */
  readonly obstacles: readonly string[];
  readonly saver: Saver;
  readonly leaving: Leaving;
  readonly onSave: () => void;
  readonly onRun: () => void;
  readonly onTakeBack: () => void;
}

const STEPS: Readonly<Record<MadeKind | 'batch', string>> = {
  link: 'The link',
  workload: 'The workload',
  experiment: 'The experiment',
  batch: 'The batch of runs',
};

/** What the experiment comes to, whether it holds, and what to do with it. */
export function Summary(props: Props) {
  const { draft, verdict, problems, obstacles, saver, leaving, onSave, onRun, onTakeBack } = props;
  const busy = leaving !== null || saver.saving.state === 'busy';
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="summary">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4" id="summary">
            What will run
          </Title>
          <State verdict={verdict} waiting={obstacles.length > 0} />
        </Group>
        <Counts draft={draft} verdict={verdict} />
        {obstacles.length > 0 && (
          <Bullets
            of={obstacles}
            aria-label="Still to do"
            icon={<IconAlertTriangle size={14} aria-hidden />}
          />
        )}
        {obstacles.length === 0 && verdict.state === 'wrong' && problems.length > 0 && (
          <Notice color="red" title="The engine does not accept it yet">
            <Problems problems={problems} />
          </Notice>
        )}
        {verdict.state === 'unknown' && (
          <Failure title="The engine could not check it" error={verdict.error} />
        )}
        <Saved draft={draft} saver={saver} onTakeBack={onTakeBack} />
        <Divider />
        <SignButton
          size="md"
          sign={IconPlayerPlay}
          loading={leaving === 'run'}
          disabled={busy || draft.rest['base'] === true}
          onClick={onRun}
          variant="filled"
        >
          Save and run
        </SignButton>
        <SignButton sign={IconDeviceFloppy} loading={leaving === 'save'} disabled={busy} onClick={onSave}>
          Save
        </SignButton>
      </Stack>
    </Paper>
  );
}

function State({ verdict, waiting }: { readonly verdict: Verdict; readonly waiting: boolean }) {
  if (waiting) return <Tag text="not complete" color="gray" />;
  if (verdict.state === 'valid') return <Tag text="valid" color="teal" icon />;
  if (verdict.state === 'asking') return <Tag text="checking …" color="gray" />;
  return <Tag text={verdict.state === 'wrong' ? 'not valid' : 'not checked'} color="red" />;
}

function Tag({
  text,
  color,
  icon = false,
}: {
  readonly text: string;
  readonly color: string;
  readonly icon?: boolean;
}) {
  return (
    <Badge
      role="status"
      color={color}
      c="var(--mantine-color-text)"
      leftSection={icon ? <IconCheck size={12} aria-hidden /> : undefined}
    >
      {text}
    </Badge>
  );
}

/** What the runs are likely to need, beside what they may. */
function Needs({ estimate, live }: { readonly estimate: Estimate; readonly live: boolean }) {
  return (
    <>
      <Text size="sm" fw={500} mt="xs">
        Estimate, mostly within a factor of two
      </Text>
      {estimateInWords(estimate, live).map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
      {estimate.beyond.length > 0 && (
        <Notice color="yellow" mt="xs" icon={<IconAlertTriangle size={16} aria-hidden />}>
          The largest run is likely to need more than {estimate.beyond.join(' and ')}: it would be ended
          there. Choose a smaller transfer or larger segments.
        </Notice>
      )}
    </>
  );
}

/** How many runs there are, as the engine counts them. */
function Counts({ draft, verdict }: { readonly draft: Draft; readonly verdict: Verdict }) {
  const { links, variants } = draft;
  const runs = verdict.runs;
  return (
    <Stack gap={0}>
      <Text size="xl" fw={700} lh={1.2}>
        {verdict.state === 'valid' && runs !== null
          ? plural(runs, hasKernel(draft.testbed) ? 'run' : 'simulated run')
          : '–'}
      </Text>
      {draft.text === null && variants.length > 0 && links.length > 0 && (
        <Muted>
          {plural(variants.length, 'variant')} × {plural(links.length, 'link')} ×{' '}
          {plural(Number(draft.repetitions) || 0, 'repetition')}
        </Muted>
      )}
      {verdict.state === 'valid' && verdict.estimate !== null && (
        <Needs estimate={verdict.estimate} live={isLive(draft.testbed)} />
      )}
      {hasKernel(draft.testbed) && (
        <Text size="sm">
          {isLive(draft.testbed)
            ? 'Live ones in real time, one after the other; those of our TCP simulated, too.'
            : 'Live ones in kernels of their own, in virtual time; those of our TCP simulated, too.'}
        </Text>
      )}
    </Stack>
  );
}

interface SavedProps {
  readonly draft: Draft;
  readonly saver: Saver;
  readonly onTakeBack: () => void;
}

/** What was made on the way to a failure, and how to go on. */
function Saved({ draft, saver, onTakeBack }: SavedProps) {
  const { saving } = saver;
  if (saving.state !== 'failed') return null;
  const made = Object.entries(draft.made) as [MadeKind, { name: string }][];
  const changed = isChangedMeanwhile(saving.error);
  return (
    <Stack gap="xs">
      <Failure
        title={`${STEPS[saving.step]} could not be ${saving.step === 'batch' ? 'queued' : 'saved'}`}
        error={saving.error}
      />
      {changed && (
        <Text size="sm">
          Someone changed it after you opened it. Open it again and repeat your change there, or save yours
          under another name.
        </Text>
      )}
      {made.length > 0 && (
        <Text size="sm">
          Saved so far:{' '}
          {made.map(([kind, { name }], i) => (
            <span key={kind}>
              {i > 0 && ', '}
              the {kind} <Link to={to.document(kind, name)}>{name}</Link>
            </span>
          ))}
          . Correct the error and save again: saving resumes from there.
        </Text>
      )}
      {made.length > 0 && saving.step !== 'batch' && (
        <Button size="xs" onClick={onTakeBack}>
          Delete what was saved
        </Button>
      )}
    </Stack>
  );
}

function isChangedMeanwhile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 412;
}
