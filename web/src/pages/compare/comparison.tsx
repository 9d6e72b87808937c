import { Button, Checkbox, Code, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { LinkButton } from '../../ui/buttons';
import { Empty } from '../../ui/asked';
import { to } from '../../ui/links';
import { Muted, Notice } from '../../ui/text';
import { Page, Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { inShell, useElsewhere } from '../../parts/elsewhere';
import { NOT_KNOWN, type Resolved, useResolved } from '../../parts/use-resolved';
import { testbedTitle, titleIn } from '../../results/model';
import { Copyable } from '../../ui/copy';
import { useTyped } from '../../ui/use-typed';
import { type Choice, choiceOf, type Known, knownOf, MOST_VARIANTS } from './choice';
import { Diagrams } from './diagrams';
import { FirstDifference } from './first-difference';
import { Measured } from './measured';
import { Verdicts } from './verdicts';
import { firstRule, gateCommand, ruleProblem } from './gate';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly Schema<'RunLine'>[];
}

/** The comparison of what the address chooses. */
export function Comparison({ batch, runs }: Props) {
  const { params } = useAddress();
  const titles = useResolved(batch.id).data ?? NOT_KNOWN;
  const known = knownOf(runs);
  const choice = choiceOf(params, known);
  const ended = batch.total - (batch.runs['queued'] ?? 0) - (batch.runs['running'] ?? 0);
  return (
    <Page
      title="Comparison"
      above={[
        { label: 'Runs', to: to.batches },
        { label: batch.title, to: to.batch(batch.id) },
      ]}
      actions={
        ended > 0 && (
          <Button
            component="a"
            href={`/api/v1/batches/${batch.id}/report`}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconFileText size={16} aria-hidden />}
          >
            Report of the batch
          </Button>
        )
      }
    >
      {known.variants.length < 2 ? (
        <Empty
          title="One variant alone"
          action={
            <LinkButton to={to.newDocument('experiment', batch.experiment)} mt="sm" variant="filled">
              A new experiment from this one
            </LinkButton>
          }
        >
          This batch has runs of{' '}
          {known.variants.length === 0 ? 'no variant' : titleIn(titles.variants, known.variants[0])}. To
          compare, run an experiment with two or more variants: all meet the same link.
        </Empty>
      ) : (
        <Stack gap="xl">
          {ended < batch.total && (
            <Notice role="status" title={`${ended} of ${plural(batch.total, 'run')} have ended`}>
              The comparison covers these and updates by itself.
            </Notice>
          )}
          <Choose known={known} choice={choice} titles={titles} />
          <Diagrams batch={batch} runs={runs} choice={choice} titles={titles} />
          <FirstDifference batch={batch} runs={runs} choice={choice} titles={titles} />
          <Verdicts batch={batch} runs={runs} choice={choice} titles={titles} />
          <Measured batch={batch} choice={choice} titles={titles} />
          <Gate batch={batch} choice={choice} />
        </Stack>
      )}
    </Page>
  );
}

interface ChooseProps {
  readonly known: Known;
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** Which variants, on which link, in which testbed. */
function Choose({ known, choice, titles }: ChooseProps) {
  const { change } = useAddress();
  const { variants } = choice;
  return (
    <Stack gap="xs" component="section" aria-label="What is compared">
      <Group align="flex-end" gap="sm">
        <Select
          label="Baseline"
          data={known.variants.map((value) => ({ value, label: titleIn(titles.variants, value) }))}
          value={variants[0]}
          onChange={(value) => {
            if (value === null) return;
            // Who was the baseline takes the place of who becomes it.
            const swapped = variants.map((one) => (one === value ? variants[0] : one));
            change({ v: [value, ...swapped.slice(1)] }, 'push');
          }}
        />
        <MultiSelect
          label="Compared with"
          style={{ flex: '1 1 18rem' }}
          data={known.variants
            .filter((value) => value !== variants[0])
            .map((value) => ({ value, label: titleIn(titles.variants, value) }))}
          value={variants.slice(1)}
          maxValues={MOST_VARIANTS - 1}
          hidePickedOptions
          onChange={(others) => {
            // One at least must be left to compare with.
            if (others.length > 0) change({ v: [variants[0], ...others] }, 'push');
          }}
        />
        {known.links.length > 1 && (
          <Select
            label="Link"
            data={known.links.map((value) => ({ value, label: titleIn(titles.links, value) }))}
            value={choice.link}
            onChange={(link) => change({ link, t: null, y: null }, 'push')}
          />
        )}
        {known.testbeds.length > 1 && (
          <Select
            label="Testbed"
            data={known.testbeds.map((value) => ({ value, label: testbedTitle(value) }))}
            value={choice.testbed}
            onChange={(testbed) => change({ testbed, t: null, y: null }, 'push')}
          />
        )}
      </Group>
      {known.links.length <= 1 && (
        <Muted>
          On {titleIn(titles.links, choice.link)}
          {known.testbeds.length <= 1 && `, ${testbedTitle(choice.testbed)}`}. The same repetition of all
          variants has the same seed: it met the same link.
        </Muted>
      )}
    </Stack>
  );
}

interface GateProps {
  readonly batch: Schema<'BatchView'>;
  readonly choice: Choice;
}

/** The command that holds a build to what is compared here, with the rule to change. */
function Gate({ batch, choice }: GateProps) {
  const { params, change } = useAddress();
  const [rule, setRule] = useTyped('rule', firstRule(choice.metric));
  const strict = params.has('strict');
  const problem = ruleProblem(rule);
  const elsewhere = useElsewhere(batch);
  const command = gateCommand({
    experiment: batch.experiment,
    variants: choice.variants,
    testbed: choice.testbed,
    repetitions: batch.repetitions,
    rule,
    strict,
  });
  return (
    <Section title="As a gate in CI" gap="xs">
      <Text size="sm" maw="90ch">
        It fails a build when the runs show that the rule is broken, and only then. A rule says what must{' '}
        <em>not</em> be.
      </Text>
      <Group align="flex-start">
        <TextInput
          label="Rule"
          description="METRIC.STATISTIC RELATION LIMIT; leave room in it: 1.05 * baseline, not baseline"
          value={rule}
          error={problem}
          style={{ flex: '1 1 20rem' }}
          maw={560}
          spellCheck={false}
          onChange={(event) => setRule(event.currentTarget.value)}
        />
        <Checkbox
          label="Fail if not decided"
          description="Exit code 4, with --strict"
          mt={{ base: 0, sm: 24 }}
          checked={strict}
          onChange={(event) => change({ strict: event.currentTarget.checked ? '1' : null }, 'replace')}
        />
      </Group>
      {problem === null && elsewhere !== null && (
        <Copyable what="the gate’s command" text={inShell(elsewhere, command)} />
      )}
      <Muted maw="90ch">
        <Code>gate.xml</Code> is JUnit for the CI’s list of tests, a case for each check; <Code>gate.md</Code>{' '}
        is for a comment on a change, or <Code>$GITHUB_STEP_SUMMARY</Code>. Exit codes: 0 passed or not
        decided, 3 failed, 4 not decided with <Code>--strict</Code>.{' '}
        {elsewhere?.environment &&
          'The experiment is not shipped: keep its files with what you build, in the directory that the last command names. '}
        Ready jobs for GitHub and GitLab are in <Code>docs/ci</Code>.
      </Muted>
    </Section>
  );
}
