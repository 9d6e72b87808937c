import { Stack } from '@mantine/core';

import { problemsAt } from '../../../api/problems';
import { freshTable } from '../../../lib/schema-table';
import { LINK_FIELDS, LINK_TABLES } from '../../../link/fields';
import { plural } from '../../../lib/format';
import { Folded } from '../../../ui/folded';
import { LinkField } from './about-section';
import { AddMenu } from './add-menu';
import { TableCard } from './table-card';
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
      wrong={problemsAt(problems, ...keys).length > 0}
      opened={said > 0}
    >
      <Stack gap="md">
        {there.map((table) => (
          <TableCard
            key={table.key}
            table={table}
            path={[table.key]}
            title={table.label}
            about={table.about}
          />
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
