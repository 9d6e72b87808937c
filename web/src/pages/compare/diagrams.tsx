import { Group, SegmentedControl, Select, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useMemo, useState } from 'react';

import { madeBy } from '../../lib/made-by';
import type { Schema } from '../../api/client';
import type { Linked } from '../../figures/linked';
import { OverlayDiagram } from '../../figures/overlay-diagram';
import { RunDiagram } from '../../figures/run-diagram';
import { type Anchor as CommonAnchor, commonAnchors, commonExtent, usualAnchor } from '../../series/anchors';
import type { SeriesSource } from '../../series/source';
import { TextLink } from '../../ui/buttons';
import { Failure, Waiting } from '../../ui/asked';
import { Keys } from '../../ui/keys';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { StateBadge } from '../../ui/state-badge';
import { StepButton } from '../../ui/step-button';
import { useAddress } from '../../ui/use-address';
import { useLetters } from '../../ui/use-letters';
import { useView } from '../../ui/use-view';
import { titleIn } from '../../results/model';
import type { Resolved } from '../../parts/use-resolved';
import { useSources } from '../../figures/use-series';
import { type Choice, chosenRuns } from './choice';

type RunLine = Schema<'RunLine'>;

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly RunLine[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** The same repetition of each variant, overlaid or stacked, aligned at what happened to all. */
export function Diagrams({ batch, runs, choice, titles }: Props) {
  const { change } = useAddress();
  const chosen = chosenRuns(runs, choice);
  const ready = chosen.filter(({ state }) => state === 'done' || state === 'invalid');
  const { sources, error, retry } = useSources(ready.map(({ id }) => id));
  const anchors = useMemo(
    () => (sources === null ? [] : commonAnchors(sources.map(({ overview }) => overview))),
    [sources],
  );
  const anchor = anchors.find(({ key }) => key === choice.anchor) ?? usualAnchor(anchors);
  const there = repetitionsOf(runs, choice);
  const at = there.indexOf(choice.repetition);
  const repeat = (step: 1 | -1) => {
    const next = there.at(at + step);
    if (at + step >= 0 && next !== undefined) change({ repetition: String(next), t: null, y: null }, 'push');
  };
  useLetters({
    j: () => repeat(1),
    k: () => repeat(-1),
    o: () => change({ way: choice.way === 'overlay' ? 'stacked' : null }, 'push'),
  });
  return (
    <Section
      title="One repetition, side by side"
      beside={
        <Keys
          keys={[
            ['j', 'next repetition'],
            ['k', 'previous repetition'],
            ['o', 'overlaid or stacked'],
            ['← → ↑ ↓', 'in a diagram: move'],
            ['+ −', 'in a diagram: zoom'],
            ['0', 'in a diagram: all of it'],
          ]}
        />
      }
    >
      <Group align="flex-end" gap="sm">
        <Repetition
          there={there}
          chosen={choice.repetition}
          onStep={repeat}
          onChoose={(repetition) => change({ repetition, t: null, y: null }, 'push')}
        />
        <Select
          label="Aligned at"
          w={190}
          disabled={anchors.length === 0}
          data={anchors.map(({ key, label }) => ({ value: key, label }))}
          value={anchor?.key ?? null}
          onChange={(key) => change({ at: key, t: null, y: null }, 'push')}
        />
        <SegmentedControl
          aria-label="How the diagrams are laid out"
          value={choice.way}
          data={[
            { value: 'overlay', label: 'Overlaid' },
            { value: 'stacked', label: 'Stacked' },
          ]}
          onChange={(way) => change({ way: way === 'overlay' ? null : way }, 'push')}
        />
      </Group>
      <Runs runs={chosen} titles={titles} />
      {error !== null && <Failure title="A diagram could not be read" error={error} onRetry={retry} />}
      {ready.length < 2 && (
        <Muted>
          {ready.length === 0 ? 'None' : 'Only one'} of these runs has a diagram: choose another repetition,
          or wait until they have ended.
        </Muted>
      )}
      {ready.length > 0 && error === null && sources === null && <Waiting what="the diagrams" rows={12} />}
      {sources !== null && anchor !== undefined && (
        <Plots
          key={choice.way}
          batch={batch}
          runs={ready}
          sources={sources}
          anchor={anchor}
          choice={choice}
          titles={titles}
        />
      )}
    </Section>
  );
}

interface RepetitionProps {
  readonly there: readonly number[];
  readonly chosen: number;
  readonly onStep: (step: 1 | -1) => void;
  readonly onChoose: (repetition: string | null) => void;
}

/** Which repetition is shown: the one before, the next, or any. */
function Repetition({ there, chosen, onStep, onChoose }: RepetitionProps) {
  const at = there.indexOf(chosen);
  return (
    <Group align="flex-end" gap={4} wrap="nowrap">
      <StepButton by={-1} of="repetition" size={36} disabled={at <= 0} onStep={onStep} />
      <Select
        label="Repetition"
        w={110}
        searchable
        data={there.map(String)}
        value={String(chosen)}
        onChange={onChoose}
      />
      <StepButton by={1} of="repetition" size={36} disabled={at >= there.length - 1} onStep={onStep} />
    </Group>
  );
}

interface PlotsProps {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly RunLine[];
  readonly sources: readonly SeriesSource[];
  readonly anchor: CommonAnchor;
  readonly choice: Choice;
  readonly titles: Resolved;
}

function Plots({ batch, runs, sources, anchor, choice, titles }: PlotsProps) {
  const theme = useComputedColorScheme('light');
  const [view, setView] = useView();
  const [linked] = useState(() => new Set<Linked>());
  const names = runs.map(({ variant }) => titleIn(titles.variants, variant)).join('\n');
  const traces = useMemo(
    () => names.split('\n').map((label, i) => ({ source: sources[i], label, origin: anchor.t[i] })),
    [names, sources, anchor],
  );
  const label = anchor.key === 'start' ? 'start' : anchor.label;
  const engine = madeBy(batch.engine);
  const where = `experiment ${batch.experiment}, ${choice.link}, testbed ${choice.testbed}, repetition ${choice.repetition}, seed ${runs[0].seed}`;
  if (choice.way === 'overlay' && sources.length > 1) {
    return (
      <OverlayDiagram
        traces={traces}
        originLabel={label}
        theme={theme}
        title={`${runs.map(({ variant }) => variant).join(', ')} on ${choice.link}, repetition ${choice.repetition}`}
        provenance={`${engine}, ${where}`}
        view={view}
        onView={setView}
      />
    );
  }
  const extent = commonExtent(
    sources.map(({ overview }) => overview),
    anchor,
  );
  return (
    <Stack gap="md">
      {runs.map((run, i) => (
        <article key={run.id} aria-label={titleIn(titles.variants, run.variant)}>
          <Text fw={600} mb={4}>
            {titleIn(titles.variants, run.variant)}
          </Text>
          <RunDiagram
            source={sources[i]}
            alongside={sources}
            theme={theme}
            density="compact"
            title={`${run.variant} on ${choice.link}, repetition ${choice.repetition}`}
            provenance={`${engine}, ${run.variant}, ${where}`}
            origin={{ t: anchor.t[i], label }}
            extent={extent}
            view={view}
            onView={setView}
            linked={linked}
          />
        </article>
      ))}
    </Stack>
  );
}

/** The ways to the single runs, with their states where that is not “done”. */
function Runs({ runs, titles }: { readonly runs: readonly RunLine[]; readonly titles: Resolved }) {
  return (
    <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
      {runs.map((run) => (
        <Group key={run.id} component="li" gap={6}>
          <TextLink to={to.run(run.id)}>
            {titleIn(titles.variants, run.variant)}: run {run.id}
          </TextLink>
          {run.state !== 'done' && <StateBadge state={run.state} />}
        </Group>
      ))}
    </Group>
  );
}

/** Repetitions of which any chosen variant has a run here. */
function repetitionsOf(runs: readonly RunLine[], choice: Choice): readonly number[] {
  const here = runs.filter(
    ({ link, testbed, variant }) =>
      link === choice.link && testbed === choice.testbed && choice.variants.includes(variant),
  );
  return [...new Set(here.map(({ repetition }) => repetition))].sort((a, b) => a - b);
}
