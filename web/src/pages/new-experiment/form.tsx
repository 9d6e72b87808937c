import './new-experiment.css';

import { Box, Grid, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';

import type { Problem } from '../../api/failure';
import { holds, useValidation, type Context } from '../../toml/use-validation';
import { Waiting } from '../../ui/asked';
import { Copyable } from '../../ui/copy';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { BaseSection } from './base-section';
import { ClaimsSection } from './claims-section';
import { commandLines } from './command';
import { withText, type Draft } from './draft';
import { TEXT_KEYS } from './fields';
import { NOTHING, ownChanges, withInherited } from './inherited';
import { LinkSection } from './link-section';
import { NameSection } from './name-section';
import { RunsSection } from './runs-section';
import { OriginSection } from './origin-section';
import { check, documentsOf, type FieldErrors, type Outcome, type Existing } from './documents';
import { isAt } from '../../api/problems';
import { Summary, type Leaving } from './summary';
import { TcpSection } from './tcp-section';
import { TextSection } from './text-section';
import { useOwnFiles } from '../../parts/own-files';
import { useInherited } from './use-inherited';
import { useReplay } from './use-replay';
import { useSaving } from './use-saving';
import { VariantSection } from './variant-section';
import { WorkloadSection } from './workload-section';
import { FormContext, useForm } from './use-form';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly forget: () => void;
  readonly edited: string | null;
  readonly existing: Existing;
}

/** Keys whose problems have a field of the form beside them. */
const PLACED = [
  'title',
  'extends',
  'access',
  'network',
  'repetitions',
  'seed',
  'time_limit',
  'variants',
  'live.variants',
  'live.time_limit',
  'live.repetitions',
  'workload',
  'flows',
  'tcp',
  'claim',
];

/** What the draft makes, and what the engine and the form have against it. */
function useChecks(draft: Draft, existing: Existing) {
  const { data: replayed = null, error: replayError } = useReplay(draft.replay);
  const outcome = documentsOf(draft, existing, replayed);
  const { wrong, missing } = check(draft, outcome, existing);
  const context = contextOf(draft, outcome, wrong);
  const verdict = useValidation('experiment', outcome.experiment.toml, context);
  // What a run met the engine has written itself.
  const drawn = draft.replay === null ? outcome.link : null;
  const linkVerdict = useValidation('link', drawn?.toml ?? '');
  const workloadVerdict = useValidation('workload', outcome.workload?.toml ?? '');
  const complete = Object.keys(missing).length === 0;
  const obstacles = [
    ...Object.values(missing),
    ...Object.values(wrong),
    ...(drawn && linkVerdict.state === 'wrong' ? ['An event drawn on the link is not valid.'] : []),
    ...(draft.replay !== null && replayed === null
      ? [replayError === null ? 'What the run’s packets met is being read.' : 'The run cannot be replayed.']
      : []),
    ...(outcome.workload && workloadVerdict.state === 'wrong'
      ? ['The workload is not valid; its fields say why.']
      : []),
  ];
  return {
    ...{ outcome, wrong, missing, context, verdict, workloadVerdict, complete, obstacles },
    ...{ replayed, replayError, drawn },
    linkProblems: drawn ? linkVerdict.problems : [],
    // Of a draft that is not complete the engine says what the form says already.
    problems: complete ? verdict.problems.filter(isOfExperiment) : [],
    elsewhere: verdict.problems.filter((problem) => !isOfExperiment(problem)),
  };
}

type Checks = ReturnType<typeof useChecks>;

/** Saves and runs the experiment once it is valid as a whole. */
function useLeaving({ draft, change, forget }: Props, checks: Checks) {
  const { outcome, verdict, context, obstacles } = checks;
  const navigate = useNavigate();
  const [tried, setTried] = useState(false);
  const [leaving, setLeaving] = useState<Leaving>(null);
  const saver = useSaving((made) => change({ made }));
  // Whoever is quicker than the check waits for one: nothing is saved that does not hold as a whole.
  const hold = async (): Promise<boolean> => {
    if (verdict.state !== 'asking') return true;
    try {
      // The engine reads the link and the workload that are kept with it, too.
      return await holds('experiment', outcome.experiment.toml, context);
    } catch {
      // What cannot be asked now is told when saving fails.
      return true;
    }
  };
  const ready = async () => {
    setTried(true);
    return obstacles.length === 0 && verdict.state !== 'wrong' && (await hold());
  };
  /** Says how the page is left, from the button until it is, or something stands in the way. */
  const leave = async (how: Leaving, go: () => Promise<void>) => {
    setLeaving(how);
    try {
      if (await ready()) await go();
    } finally {
      setLeaving(null);
    }
  };
  const save = async () => {
    const name = await saver.save(draft, outcome);
    if (name === null) return;
    forget();
    await navigate(to.document('experiment', name));
  };
  const run = async () => {
    const batch = await saver.run(draft, outcome);
    if (batch === null) return;
    forget();
    await navigate(to.batch(batch));
  };
  return {
    tried,
    leaving,
    saver,
    save: () => leave('save', save),
    run: () => leave('run', run),
  };
}

/** Takes what a text says into the form. Gives why it cannot, if it cannot. */
function asForm({ draft, change }: Props, { outcome }: Checks): string | null {
  if (draft.text === null) return null;
  const read = withText(draft, draft.text);
  if ('wrong' in read) return read.wrong;
  // The drawn link has a name in the text; the form shows what it is drawn on.
  const drawn = outcome.link !== null && read.links.length === 1 && read.links[0] === outcome.link.name;
  const own = outcome.workload !== null && read.workload === outcome.workload.name;
  const replays = read.links.length > 0 && read.links[0] === outcome.replay?.name;
  change({
    ...read,
    links: replays ? [] : drawn ? draft.links : read.links,
    replay: replays ? draft.replay : null,
    events: drawn ? draft.events : [],
    ownWorkload: own ? draft.ownWorkload : read.ownWorkload,
    workload: own ? draft.workload : read.workload,
  });
  return null;
}

/** An experiment as a form, or as its text. */
export function ExperimentForm(props: Props) {
  const { draft: raw, change, existing } = props;
  const [unread, setUnread] = useState<string | null>(null);
  const { data, error, isLoading } = useInherited(raw.text === null ? raw.extends : null);
  const inherited = data ?? NOTHING;
  const draft = withInherited(raw, inherited);
  const checks = useChecks(draft, existing);
  const { outcome, verdict, problems } = checks;
  const own = useOwnFiles(verdict.buildsOn);
  const { tried, leaving, saver, save, run } = useLeaving(props, checks);
  return (
    <Grid gap="lg" align="flex-start">
      <Grid.Col span={{ base: 12, lg: 8.5 }}>
        <Stack gap="lg">
          <SegmentedControl
            aria-label="How to edit"
            data={[
              { value: 'form', label: 'Form' },
              { value: 'text', label: 'Text' },
            ]}
            value={draft.text === null ? 'form' : 'text'}
            onChange={(mode) => {
              if (mode === 'text') change({ text: outcome.experiment.toml });
              else setUnread(asForm(props, checks));
            }}
            style={{ alignSelf: 'flex-start' }}
          />
          {isLoading ? (
            <Waiting what="what it extends" rows={8} />
          ) : draft.text === null ? (
            // What is missing is told from when someone tried to save.
            <FormContext
              value={{
                ...props,
                ...checks,
                ...{ raw, draft, inherited },
                change: (changes) => change(ownChanges(raw, draft, changes)),
                unread: error === null ? undefined : `${raw.extends ?? ''} cannot be read.`,
                errors: tried ? { ...checks.missing, ...checks.wrong } : checks.wrong,
              }}
            >
              <Sections />
            </FormContext>
          ) : (
            <TextSection
              text={draft.text}
              onChange={(text) => {
                setUnread(null);
                change({ text });
              }}
              problems={verdict.problems.filter(isOfExperiment)}
              unread={unread}
              link={checks.drawn}
              workload={outcome.workload}
            />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 3.5 }} className="aside-in-sight">
        <Stack gap="md">
          <Summary
            draft={draft}
            verdict={verdict}
            problems={
              draft.text === null
                ? [
                    ...problems.filter(({ key }) => !PLACED.some((start) => isAt(key, start))),
                    ...checks.elsewhere,
                  ]
                : verdict.problems
            }
            obstacles={checks.obstacles}
            saver={saver}
            leaving={leaving}
            onSave={() => void save()}
            onRun={() => void run()}
            onTakeBack={() => void saver.takeBack(draft)}
          />
          {checks.complete && (
            <Box>
              <Text size="sm" fw={500} mb={4}>
                The same without this page, in a shell
              </Text>
              <Copyable text={commandLines(draft, outcome, own)} what="the commands" />
            </Box>
          )}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

/** The form, from the link to where the experiment comes from. */
function Sections() {
  const { own, inherits } = useForm();
  const kept = TEXT_KEYS.filter((key) => own(key) !== undefined);
  const below = TEXT_KEYS.filter(inherits);
  return (
    <>
      <BaseSection />
      <LinkSection />
      <VariantSection />
      <WorkloadSection />
      <RunsSection />
      <NameSection />
      <TcpSection />
      <ClaimsSection />
      <OriginSection />
      {kept.length > 0 && (
        <Muted>Only the text shows these settings; the form keeps them: {kept.join(', ')}.</Muted>
      )}
      {below.length > 0 && <Muted>Inherited, and without a field here: {below.join(', ')}.</Muted>}
    </>
  );
}

/** With what, and for where, the experiment is checked. What has no name that could be kept is left out. */
function contextOf(draft: Draft, { link, workload }: Outcome, wrong: FieldErrors): Context {
  return {
    testbed: draft.testbed,
    plane: draft.testbed === 'sim' ? null : draft.plane,
    beside: [
      ...(link && wrong.linkName === undefined ? [{ kind: 'link' as const, ...link }] : []),
      ...(workload && wrong.workloadName === undefined ? [{ kind: 'workload' as const, ...workload }] : []),
    ],
  };
}

/** Whether a problem is of the experiment's own text: those that it names have keys of the same names. */
function isOfExperiment({ file }: Problem): boolean {
  return file?.startsWith('experiments/') ?? true;
}
