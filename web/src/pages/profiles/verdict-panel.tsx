import { Alert, List, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';

import { plural } from '../../lib/format';
import type { Verdict } from '../../toml/use-validation';
import { Failure } from '../../ui/failure';
import type { ProfileShelf } from './kinds';
import { record, texts } from './resolved';

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
          <List size="sm" spacing={4}>
            {summary.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  );
}

function sayState({ state, problems }: Verdict) {
  switch (state) {
    case 'asking':
      return (
        <Text size="sm" c="dimmed">
          <Loader size={12} mr={8} aria-hidden />
          Checking …
        </Text>
      );
    case 'valid':
      return (
        <Alert color="teal" variant="light" p="xs" icon={<IconCheck aria-hidden />} title="Valid">
          <Text size="sm" c="var(--mantine-color-text)">
            The engine accepts it.
          </Text>
        </Alert>
      );
    case 'wrong':
      return (
        <Alert
          color="red"
          variant="light"
          p="xs"
          icon={<IconAlertTriangle aria-hidden />}
          title={plural(problems.length, 'problem')}
        >
          <Text size="sm" c="var(--mantine-color-text)">
            Marked in the text and listed below it; correct them to save.
          </Text>
        </Alert>
      );
    case 'unknown':
      return null;
  }
}
