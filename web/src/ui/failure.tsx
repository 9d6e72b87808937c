import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

import { ApiFailure, type Problem } from '../api/failure';
import { Prose } from './prose';

interface Props {
  /** What could not be done, as `The run could not be read`. */
  readonly title: string;
  readonly error: unknown;
  /** Tries it once more. */
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, where, and what would be right. */
export function Failure({ title, error, onRetry }: Props) {
  const problems = error instanceof ApiFailure ? error.problems : [];
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="var(--mantine-color-text)">
          <Prose text={sentence(error)} />
        </Text>
        {problems.length > 0 && <Problems problems={problems} />}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A list of what is wrong, with places and suggestions. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <List size="sm" spacing={4} c="var(--mantine-color-text)">
      {problems.map((problem, i) => (
        <List.Item key={i}>
          {placeOf(problem) !== '' && (
            <>
              <Code>{placeOf(problem)}</Code>{' '}
            </>
          )}
          <Prose text={problem.message} />
        </List.Item>
      ))}
    </List>
  );
}

/** Where a problem is, as far as it is known: `line 6, both.evry`. */
export function placeOf({ line, key }: Problem): string {
  const parts = [line === null || line === undefined ? '' : `line ${line}`, key ?? ''];
  return parts.filter((part) => part !== '').join(', ');
}

/** An error in a sentence for people. */
export function sentence(error: unknown): string {
  if (error instanceof ApiFailure && error.status === 0) {
    return 'The controller does not answer. Is “windlull serve” still running? The page continues when it is back.';
  }
  const text = error instanceof Error ? error.message : String(error);
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
