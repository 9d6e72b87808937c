import { Alert, Button, Code, List, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';

import { ApiFailure, type Problem } from '../api/failure';
import { capital } from '../lib/format';
import { LinkButton } from './buttons';
import { type Crumb, Page } from './page';
import { Prose } from './text';

interface Query<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Two answers as one, which is there when both are. */
export function both<A, B>(a: Query<A>, b: Query<B>): Query<readonly [A, B]> {
  return {
    data: a.data !== undefined && b.data !== undefined ? [a.data, b.data] : undefined,
    error: a.error ?? b.error,
    refetch: () => [a.refetch(), b.refetch()],
  };
}

interface Props<T> {
  readonly query: Query<T>;
  /** What could not be done, if there is no answer. */
  readonly failed: string;
  /** What is awaited, to those who cannot see it. */
  readonly what: string;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** What an answer shows. Before there is one, that it is awaited, or why it does not come. */
export function Asked<T>({ query, failed, what, rows = 4, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.error) return <Waiting what={what} rows={rows} />;
  return <Failure title={failed} error={query.error} onRetry={() => void query.refetch()} />;
}

interface PageProps<T> extends Props<T> {
  /** The head of the page until it is there. */
  readonly title: string;
  readonly above: readonly Crumb[];
  /** What stands there if there is no such thing. */
  readonly none: ReactNode;
}

/** The page of a thing that may not be there. */
export function AskedPage<T>({ title, above, none, rows = 10, ...asked }: PageProps<T>) {
  const { data, error } = asked.query;
  // A name that cannot be one is refused as such (422); for who follows a link that is the same as none.
  if (error instanceof ApiFailure && (error.status === 404 || error.status === 422)) return none;
  if (data !== undefined) return asked.children(data);
  return (
    <Page title={title} above={above}>
      <Asked {...asked} rows={rows} />
    </Page>
  );
}

interface FailureProps {
  /** What could not be done, as `The run could not be read`. */
  readonly title: string;
  readonly error: unknown;
  /** Tries it once more. */
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, where, and what would be right. */
export function Failure({ title, error, onRetry }: FailureProps) {
  const said = sentence(error);
  const all = error instanceof ApiFailure ? error.problems : [];
  const problems = all.length === 1 && all.every((one) => isSaid(one, said)) ? [] : all;
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="var(--mantine-color-text)">
          <Prose text={said} />
        </Text>
        {problems.length > 0 && <Problems problems={problems} />}
        {onRetry && (
          <Button size="xs" onClick={onRetry}>
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

/** Whether a sentence has all of a problem, with its place. */
function isSaid({ message, line }: Problem, sentence: string): boolean {
  return (
    sentence.includes(message) && (line === null || line === undefined || sentence.includes(`line ${line}`))
  );
}

/** An error in a sentence for people. One that begins with the name of a file leaves that as it is. */
export function sentence(error: unknown): string {
  if (error instanceof ApiFailure && error.status === 0) {
    return 'The controller does not answer. Is “windlull serve” still running? The page continues when it is back.';
  }
  const text = error instanceof Error ? error.message : String(error);
  const begun = /^\S+\.[a-z0-9]+[,:]/i.test(text) ? text : capital(text);
  return `${begun}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** What stands where an answer is awaited; `what` says so to those who cannot see it. */
export function Waiting({ what, rows = 4 }: { readonly what: string; readonly rows?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy>
      <VisuallyHidden>Reading {what} …</VisuallyHidden>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={22} aria-hidden />
      ))}
    </Stack>
  );
}

interface EmptyProps {
  /** What is not there, as `No runs yet`. */
  readonly title: string;
  /** How to get it. */
  readonly children: ReactNode;
  /** The one thing to do next: a button. */
  readonly action?: ReactNode;
  /** Or a page to go to: what it is called, and its address. */
  readonly go?: readonly [string, string];
}

/** What stands where there is nothing yet: why, and what to do about it. */
export function Empty({ title, children, action, go }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw="60ch">
        {children}
      </Text>
      {action}
      {go && (
        <LinkButton to={go[1]} mt="sm" variant="filled">
          {go[0]}
        </LinkButton>
      )}
    </Stack>
  );
}

interface NowhereProps extends Omit<ComponentProps<typeof Page>, 'about' | 'actions'> {
  /** What there is not, in a sentence. */
  readonly heading: string;
  /** A way on: what it is called, and its address. */
  readonly go: readonly [string, string];
}

/** The page at an address at which there is nothing. */
export function Nowhere({ heading, go, children, ...page }: NowhereProps) {
  return (
    <Page {...page}>
      <Empty title={heading} go={go}>
        {children}
      </Empty>
    </Page>
  );
}
