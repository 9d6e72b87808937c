import {
  Alert,
  type AlertProps,
  Group,
  List,
  type ListProps,
  Loader,
  Text,
  type TextProps,
} from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';

type SmallText = TextProps & { readonly children: ReactNode; readonly role?: string };

/** A remark, less loud than what it is about. */
export function Muted(text: SmallText) {
  return <Text size="sm" c="dimmed" {...text} />;
}

/** Sentences, one below the other. */
export function Bullets({ of, ...list }: ListProps & { readonly of: readonly string[] }) {
  return (
    <List size="sm" {...list}>
      {of.map((text) => (
        <List.Item key={text}>
          <Prose text={text} />
        </List.Item>
      ))}
    </List>
  );
}

/** What is wrong with something that was entered. */
export function Wrong(text: SmallText) {
  return <Text size="sm" c="var(--mantine-color-error)" {...text} />;
}

/** What is under way, in words. */
export function Busy({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm">{children}</Text>
    </Group>
  );
}

/** A sentence of the engine's or the controller's, which has commands and names in backticks. */
export function Prose({ text }: { readonly text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, i) => (i % 2 === 0 ? <Fragment key={i}>{part}</Fragment> : <code key={i}>{part}</code>));
}

interface NoticeProps extends AlertProps {
  readonly sign?: Icon;
  readonly role?: string;
}

/** A notice: its colour is in its frame and sign, its words are read on any of them. */
export function Notice({ sign: Sign, children, ...props }: NoticeProps) {
  return (
    <Alert variant="light" icon={Sign && <Sign aria-hidden />} {...props}>
      <Text component="div" size="sm" c="var(--mantine-color-text)">
        {children}
      </Text>
    </Alert>
  );
}
