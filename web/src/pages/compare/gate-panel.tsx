import { Checkbox, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';

import type { Schema } from '../../api/client';
import { Copyable } from '../../ui/copy';
import { useAddress } from '../../ui/use-address';
import { useTyped } from '../../ui/use-typed';
import type { Choice } from './choice';
import { firstRule, gateCommand, ruleProblem } from './gate';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly choice: Choice;
}

/** The command that holds a build to what is compared here, with the rule to change. */
export function Gate({ batch, choice }: Props) {
  const { params, change } = useAddress();
  const [rule, setRule] = useTyped('rule', firstRule(choice.metric));
  const strict = params.has('strict');
  const problem = ruleProblem(rule);
  return (
    <Stack component="section" gap="xs" aria-labelledby="gate">
      <Title order={2} size="h4" id="gate">
        As a gate in CI
      </Title>
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
      {problem === null && (
        <Copyable
          what="the gate’s command"
          text={gateCommand({
            experiment: batch.experiment,
            variants: choice.variants,
            testbed: choice.testbed,
            repetitions: batch.repetitions,
            rule,
            strict,
          })}
        />
      )}
      <Text size="sm" c="dimmed" maw="90ch">
        <Code>gate.xml</Code> is JUnit for the CI’s list of tests, a case for each check; <Code>gate.md</Code>{' '}
        is for a comment on a change, or <Code>$GITHUB_STEP_SUMMARY</Code>. Exit codes: 0 passed or not
        decided, 3 failed, 4 not decided with <Code>--strict</Code>. An experiment of your own must be a file
        there: give its path in place of its name. Ready jobs for GitHub and GitLab are in{' '}
        <Code>docs/ci</Code>.
      </Text>
    </Stack>
  );
}
