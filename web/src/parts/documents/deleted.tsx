import { Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { Shelf } from '../../api/documents';
import { useDeleted, type DeletedDocument } from '../../api/revisions';
import { hasWords } from '../../lib/find';
import { plural } from '../../lib/format';
import { Asked, Empty } from '../../ui/asked';
import { to, type DocumentKind } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Muted } from '../../ui/text';
import { Restore } from './restore';

interface Props {
  readonly shelf: Shelf;
  readonly kind: DocumentKind;
  readonly words: string;
}

/** The deleted documents of a shelf that can be restored. */
export function DeletedDocuments({ shelf, kind, words }: Props) {
  return (
    <Asked
      query={useDeleted(kind)}
      failed={`The deleted ${shelf} could not be read`}
      what={`the deleted ${shelf}`}
    >
      {(all) => {
        const shown = all.filter(({ name, title }) => hasWords(`${name} ${title}`, words));
        return (
          <>
            <Muted role="status">{plural(shown.length, `deleted ${kind}`)}</Muted>
            {shown.length === 0 ? (
              <Empty title={`No such deleted ${kind}`}>
                What is deleted can be restored until newer revisions need the room.
              </Empty>
            ) : (
              <ul className="lines roomy">
                {shown.map((gone) => (
                  <li key={gone.name}>
                    <Line shelf={shelf} kind={kind} gone={gone} />
                  </li>
                ))}
              </ul>
            )}
          </>
        );
      }}
    </Asked>
  );
}

interface LineProps {
  readonly shelf: Shelf;
  readonly kind: DocumentKind;
  readonly gone: DeletedDocument;
}

function Line({ shelf, kind, gone: { name, title, at, revision } }: LineProps) {
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={0} style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <Group gap="xs">
          <Link to={to.history(kind, name)} className="line-name" data-mono>
            {name}
          </Link>
          <Text size="xs" c="dimmed" span>
            deleted <Moment at={at} />
          </Text>
        </Group>
        <Text size="sm">{title}</Text>
      </Stack>
      <Restore shelf={shelf} name={name} earlier={revision} revision={null} label={`Restore ${name}`} />
    </Group>
  );
}
