import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';

import { TextLink } from '../../ui/buttons';
import { DocumentSelect } from '../../ui/document-select';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { textOf } from '../../lib/values';
import { Folded } from '../../ui/folded';
import { detached, extending } from './inherited';
import { useForm } from './use-form';

/** The experiment that this one extends, if any. */
export function BaseSection() {
  const { draft, raw, change, edited, existing, inherited, unread, message } = useForm();
  const base = draft.extends;
  const error = unread ?? message('extends');
  // What only others extend is in no list, but may be extended already.
  const others = new Map([
    ...inherited.layers.map(({ name, table }) => [name, textOf(table['title'])] as const),
    ...existing.experiments,
  ]);
  if (edited !== null) others.delete(edited);
  return (
    <Folded
      id="base"
      title="Extended experiment"
      about={
        base === null ? 'None: everything is set here' : `What is not set here is inherited from ${base}`
      }
      wrong={error !== undefined}
      opened={base !== null}
    >
      <Stack gap="sm">
        <Box maw={560}>
          <DocumentSelect
            label="Extends"
            description="What is not set here is taken from that experiment, now and whenever it changes."
            documents={others}
            value={base}
            none="None"
            error={error}
            onChange={(name) => change(extending(raw, name))}
            onClear={() => change(extending(raw, null))}
          />
        </Box>
        {inherited.layers.length > 1 && (
          <Muted>
            {inherited.layers.map(({ name }, i) => (
              <Fragment key={name}>
                {i > 0 && (i === 1 ? ' extends ' : ', which extends ')}
                <TextLink to={to.document('experiment', name)} underline="always">
                  {name}
                </TextLink>
              </Fragment>
            ))}
            .
          </Muted>
        )}
        {base !== null && (
          <Group gap="sm">
            <Button size="xs" onClick={() => change(extending(raw, null))}>
              Remove
            </Button>
            <Button size="xs" onClick={() => change(detached(raw, draft, inherited))}>
              Copy its values here, then remove
            </Button>
            <Text size="xs" c="dimmed">
              Removed alone, it takes everything inherited with it.
            </Text>
          </Group>
        )}
      </Stack>
    </Folded>
  );
}
