import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

import { useAllRuns } from '../../api/all-runs';
import type { Schema } from '../../api/client';
import { LinkButton, TextLink } from '../../ui/buttons';
import { Fact } from '../../ui/facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Muted } from '../../ui/text';
import { StateBadge } from '../../ui/state-badge';
import { useLetters } from '../../ui/use-letters';
import { neighboursOf } from './neighbours';
import type { Resolved } from '../../parts/use-resolved';
import { testbedTitle, titleIn } from '../../results/model';

interface Props {
  readonly run: Schema<'RunView'>;
  readonly resolved: Resolved;
}

interface HeadProps extends Props {
  /** Whether those beside it may be asked for by now. */
  readonly beside: boolean;
}

/** Which run this is, and the ways to those beside it. */
export function Head({ run, resolved, beside }: HeadProps) {
  return (
    <Group justify="space-between" align="flex-end" gap="sm">
      <Group component="dl" gap="lg" m={0}>
        <Fact name="State">
          <StateBadge state={run.state} />
        </Fact>
        <Fact name="Link">
          <TextLink to={to.document('link', run.link)}>{titleIn(resolved.links, run.link)}</TextLink>
        </Fact>
        <Fact name="Testbed">{testbedTitle(run.testbed)}</Fact>
        <Fact name="Seed">{run.seed}</Fact>
        <Fact name={run.ended_at === null ? 'Submitted' : 'Ended'}>
          <Moment at={run.ended_at ?? run.queued_at} />
        </Fact>
        {run.cached && <Fact name="Result">reused from an equal run</Fact>}
      </Group>
      {beside && <Neighbours run={run} resolved={resolved} />}
    </Group>
  );
}

/** The repetitions before and after, and what other variants did on the same link with the same seed. */
function Neighbours({ run, resolved }: Props) {
  const runs = useAllRuns({ batch: run.batch, link: run.link, testbed: run.testbed });
  const { previous, next, variants } = neighboursOf(run, runs.data ?? []);
  const navigate = useNavigate();
  const go = (id: number | undefined) => () => {
    if (id !== undefined) void navigate(to.run(id));
  };
  useLetters({ J: go(next?.id), K: go(previous?.id) });
  if (previous === null && next === null && variants.length === 0) return null;
  return (
    <Group component="nav" aria-label="Other runs of the batch" gap="xs">
      <Button.Group>
        <Step run={previous} label="Previous repetition" icon={<IconChevronLeft size={16} aria-hidden />} />
        <Step run={next} label="Next repetition" icon={<IconChevronRight size={16} aria-hidden />} />
      </Button.Group>
      {variants.length > 0 && <Muted>The same repetition of</Muted>}
      {variants.map((other) => (
        <LinkButton key={other.id} to={to.run(other.id)} size="xs">
          {titleIn(resolved.variants, other.variant)}
        </LinkButton>
      ))}
      {variants.length > 0 && (
        <LinkButton to={compareAddress(run, variants, resolved)} variant="light" size="xs">
          Compare them
        </LinkButton>
      )}
      {variants.length > 0 && (
        <LinkButton to={partAddress(run, variants, resolved)} variant="light" size="xs">
          Where they part
        </LinkButton>
      )}
    </Group>
  );
}

/** This run and one other, or all where they are few enough to be told apart at a glance. */
function compareAddress(run: Schema<'RunView'>, others: Others, resolved: Resolved): string {
  const all = inOrder(run, others, resolved);
  return addressOf(run, all.length <= 3 ? all : pairIn(all, run));
}

/** This run and one other, and where they part first. */
function partAddress(run: Schema<'RunView'>, others: Others, resolved: Resolved): string {
  const pair = pairIn(inOrder(run, others, resolved), run);
  return `${addressOf(run, pair)}&${new URLSearchParams({ part: pair[1].variant }).toString()}#${to.partAnchor}`;
}

type Others = readonly Pick<Schema<'RunView'>, 'variant'>[];

/** In the order of the experiment, whose first is the baseline wherever nothing else is asked for. */
function inOrder(run: Schema<'RunView'>, others: Others, resolved: Resolved): Others {
  const order = resolved.variants.map(({ name }) => name);
  return [run, ...others].sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant));
}

/** Two of several: the first, and the run or what comes after it. */
function pairIn(all: Others, run: Schema<'RunView'>): Others {
  return [all[0], all[0] === run ? all[1] : run];
}

function addressOf(run: Schema<'RunView'>, beside: Others): string {
  const params = new URLSearchParams(beside.map(({ variant }) => ['v', variant]));
  params.append('link', run.link);
  params.append('testbed', run.testbed);
  params.append('repetition', String(run.repetition));
  return `${to.compare(run.batch)}?${params.toString()}`;
}

interface StepProps {
  readonly run: Schema<'RunLine'> | null;
  readonly label: string;
  readonly icon: ReactNode;
}

function Step({ run, label, icon }: StepProps) {
  if (run === null)
    return (
      <Button size="xs" disabled aria-label={label}>
        {icon}
      </Button>
    );
  return (
    <LinkButton
      to={to.run(run.id)}
      size="xs"
      aria-label={`${label}: ${run.repetition}`}
      title={`${label}: ${run.repetition}`}
    >
      {icon}
    </LinkButton>
  );
}
