import { Stack } from '@mantine/core';
import type { TomlTable } from 'smol-toml';

import { wrongWithin } from '../../../api/problems';
import { freshTable } from '../../../lib/schema-table';
import { heldKind, LINK_FIELDS, LINK_TABLES } from '../../../link/fields';
import { TableFields } from '../../../link/table-fields';
import { plural } from '../../../lib/format';
import { Folded } from '../../../ui/folded';
import { LinkField } from './about-section';
import { AddMenu } from './add-menu';
import { Card, TextAlone } from './card';
import { useLink } from './use-link';

const ABOUT = ['title', 'source', 'description', 'family', 'extends'];
const FIELDS = LINK_FIELDS.filter(({ key }) => !ABOUT.includes(key));

/** What plays on the link besides: a recording, what a run met. */
export function MoreSection() {
  const { link, set, problems } = useLink();
  const there = LINK_TABLES.filter(({ key }) => key in link);
  const said = there.length + FIELDS.filter(({ key }) => key in link).length;
  const keys = [...FIELDS, ...LINK_TABLES].map(({ key }) => key);
  return (
    <Folded
      id="more"
      title="Recordings, replays, NAT"
      about={said === 0 ? 'None' : `${plural(said, 'setting')} here`}
      wrong={problems.some(({ key }) => keys.some((one) => key?.split(/[.[]/)[0] === one))}
      opened={said > 0}
    >
      <Stack gap="md">
        {there.map((table) => (
          <Card
            key={table.key}
            title={table.label}
            about={table.about}
            onRemove={() => set([table.key], undefined)}
          >
            {heldKind(table, link[table.key]) === null ? (
              <TextAlone />
            ) : (
              <TableFields
                table={table}
                said={link[table.key] as TomlTable}
                wrong={wrongWithin(problems, table.key)}
                onChange={(changed, field) =>
                  set([table.key], changed, field === undefined ? undefined : `${table.key}.${field}`)
                }
              />
            )}
          </Card>
        ))}
        {FIELDS.map(({ key }) => (
          <LinkField key={key} of={key} />
        ))}
        <AddMenu
          label="Add a recording, a replay or a NAT"
          choices={LINK_TABLES.filter(({ key }) => !(key in link))}
          onAdd={({ key, kinds }) => set([key], freshTable(kinds[0]))}
        />
      </Stack>
    </Folded>
  );
}
