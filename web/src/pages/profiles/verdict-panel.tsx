import { Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';

import { plural } from '../../lib/format';
import { record } from '../../lib/json';
import type { Verdict } from '../../toml/use-validation';
import { Bullets, Muted, Notice } from '../../ui/text';
import { Failure } from '../../ui/asked';
import type { ProfileShelf } from './kinds';
import { texts } from './resolved';

/** What the engine thinks of a text as it is, and what the text stands for. */
export function VerdictPanel({
  shelf,
  verdict,
}: {
  readonly shelf: ProfileShelf;
  readonly verdict: Verdict;
}) {
  const summary = texts(record(verdict.resolved)['summary']);
  return (
    <Stack gap="sm" aria-busy={verdict.state === 'asking'}>
      <div role="status">{sayState(verdict)}</div>
      {verdict.state === 'unknown' && <Failure title="The engine could not check it" error={verdict.error} />}
      {summary.length > 0 && verdict.state !== 'wrong' && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            {shelf === 'links' ? 'The link as resolved' : 'As resolved'}
          </Text>
          <Bullets of={summary} spacing={4} />
        </div>
      )}
    </Stack>
  );
}

function sayState({ state, problems }: Verdict) {
  switch (state) {
    case 'asking':
      return (
        <Muted>
          <Loader size={12} mr={8} aria-hidden />
          Checking …
        </Muted>
      );
    case 'valid':
      return (
        <Notice color="teal" p="xs" sign={IconCheck} title="Valid">
          The engine accepts it.
        </Notice>
      );
    case 'wrong':
      return (
        <Notice color="red" p="xs" sign={IconAlertTriangle} title={plural(problems.length, 'problem')}>
          Marked in the text and listed below it; correct them to save.
        </Notice>
      );
    case 'unknown':
      return null;
  }
}
