import { Breadcrumbs, Group, type MantineSpacing, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId } from 'react';

import { TextLink } from './buttons';

export interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface Props {
  readonly title: string;
  /** Pages above this one, the outermost first. */
  readonly above?: readonly Crumb[];
  /** A sentence under the title. */
  readonly about?: ReactNode;
  /** What can be done here: buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a page: its title, the way up, what can be done. */
export function Page({ title, above = [], about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} – Windlull`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {above.length > 0 && (
          <Breadcrumbs
            component="nav"
            aria-label="Pages above"
            separatorMargin={6}
            fz="sm"
            styles={{ breadcrumb: { whiteSpace: 'normal', lineHeight: 1.3 } }}
          >
            {above.map(({ label, to }) => (
              <TextLink key={to} to={to}>
                {label}
              </TextLink>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={4} style={{ flex: '1 1 30rem', minWidth: 0 }}>
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {about !== undefined && (
              <Text c="dimmed" maw="80ch">
                {about}
              </Text>
            )}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}

interface SectionProps {
  readonly title: ReactNode;
  /** Where links to it point. */
  readonly id?: string;
  /** Beside the title. */
  readonly beside?: ReactNode;
  readonly gap?: MantineSpacing;
  readonly children: ReactNode;
}

/** A part of a page under a heading of its own. */
export function Section({ title, id: anchor, beside, gap = 'sm', children }: SectionProps) {
  const id = useId();
  const heading = (
    <Title order={2} size="h4" id={id}>
      {title}
    </Title>
  );
  return (
    <Stack component="section" gap={gap} {...(anchor !== undefined && { id: anchor })} aria-labelledby={id}>
      {beside === undefined ? (
        heading
      ) : (
        <Group justify="space-between" align="baseline" gap="xs">
          {heading}
          {beside}
        </Group>
      )}
      {children}
    </Stack>
  );
}
