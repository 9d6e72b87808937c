import { Box, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';

import { plural } from '../../lib/format';
import { record } from '../../lib/json';
import type { Verdict } from '../../toml/use-validation';
import { Bullets, Muted, Notice } from '../../ui/text';
import { Failure } from '../../ui/asked';
import type { ProfileShelf } from './kinds';
import { texts } from './resolved';

interface Props {
  readonly shelf: ProfileShelf;
  readonly verdict: Verdict;
  /** Where its problems are shown: `in the text`. */
  readonly where: string;
  /** What is wrong with the name that it is to have. */
  readonly wrongName: string | null;
}

/** What the engine thinks of a text as it is, and what the text stands for. */
export function VerdictPanel({ shelf, verdict, where, wrongName }: Props) {
  // What a link does stands beside its timeline.
  const summary = shelf === 'links' ? [] : texts(record(verdict.resolved)['summary']);
  return (
    <Stack gap="sm" aria-busy={verdict.state === 'asking'}>
      {/* As high while it is asked: what stands below is not to jump about. */}
      <Box role="status" mih={66}>
        {sayState(verdict, where, wrongName)}
      </Box>
      {verdict.state === 'unknown' && <Failure title="The engine could not check it" error={verdict.error} />}
      {summary.length > 0 && verdict.state !== 'wrong' && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            As resolved
          </Text>
          <Bullets of={summary} spacing={4} />
        </div>
      )}
    </Stack>
  );
}

function sayState({ state, problems }: Verdict, where: string, wrongName: string | null) {
  switch (state) {
    case 'asking':
      return (
        <Muted>
          <Loader size={12} mr={8} aria-hidden />
          Checking …
        </Muted>
      );
    case 'valid':
      if (wrongName !== null)
        return (
          <Notice color="yellow" p="xs" sign={IconAlertTriangle} title="Valid, but for its name">
            {wrongName}
          </Notice>
        );
      return (
        <Notice color="teal" p="xs" sign={IconCheck} title="Valid">
          The engine accepts it.
        </Notice>
      );
    case 'wrong':
      return (
        <Notice color="red" p="xs" sign={IconAlertTriangle} title={plural(problems.length, 'problem')}>
          Marked {where}; correct them to save.
        </Notice>
      );
    case 'unknown':
      return null;
  }
}
