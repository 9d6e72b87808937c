import { Anchor, Badge, Group } from '@mantine/core';

import type { Shelf } from '../../api/documents';
import type { RevisionLine } from '../../api/revisions';
import { formatOctets, plural } from '../../lib/format';
import { Restore } from '../../parts/documents/restore';
import { Moment } from '../../ui/moment';
import { numeric, Row, WideTable } from '../../ui/table';

interface Props {
  readonly shelf: Shelf;
  readonly name: string;
  /** Newest first. */
  readonly lines: readonly RevisionLine[];
  /** The one that the document has now; null if it was deleted. */
  readonly inForce: number | null;
  readonly shown: number | null;
  readonly onShow: (revision: number) => void;
  readonly onRestored: () => void;
}

/** A badge that is not cut off where there is little room. */
const WHOLE = { flexShrink: 0 };

/** The revisions of a document, newest first: when, what was done, and what brings each back. */
export function RevisionTable({ shelf, name, lines, inForce, shown, onShow, onRestored }: Props) {
  return (
    <WideTable
      label="Revisions"
      minWidth={560}
      maxHeight={420}
      heads={['Revision', 'When', 'What', numeric('Size'), null]}
    >
      {lines.map((line) => {
        const { revision, change, at, size_bytes: size } = line;
        const hasText = change !== 'deleted';
        return (
          <Row
            key={revision}
            head={
              <Group gap="xs" wrap="nowrap">
                {hasText ? (
                  <Anchor
                    component="button"
                    type="button"
                    fw={600}
                    aria-label={`Show revision ${revision}`}
                    aria-current={revision === shown}
                    onClick={() => onShow(revision)}
                  >
                    {revision}
                  </Anchor>
                ) : (
                  revision
                )}
                {revision === inForce && (
                  <Badge c="var(--mantine-color-text)" style={WHOLE}>
                    now
                  </Badge>
                )}
                {revision === shown && revision !== inForce && (
                  <Badge variant="outline" c="var(--mantine-color-text)" style={WHOLE}>
                    shown
                  </Badge>
                )}
              </Group>
            }
            cells={[
              <Moment at={at} />,
              whatInWords(line),
              numeric(hasText ? formatOctets(size) : ''),
              {
                align: 'right',
                children: hasText && revision !== inForce && (
                  <Restore
                    {...{ shelf, name, onRestored }}
                    earlier={revision}
                    revision={inForce}
                    label={`Restore revision ${revision}`}
                  />
                ),
              },
            ]}
          />
        );
      })}
    </WideTable>
  );
}

/** What was done, in words: `changed: 3 lines added, 1 removed`. */
export function whatInWords({ change, restored, lines_added, lines_removed }: RevisionLine): string {
  const what = restored === null ? change : `revision ${restored} restored`;
  if (lines_added === null || lines_removed === null) return what;
  const counts = [
    lines_added > 0 && `${plural(lines_added, 'line')} added`,
    lines_removed > 0 && `${plural(lines_removed, 'line')} removed`,
  ].filter((part) => part !== false);
  return `${what}: ${counts.length === 0 ? 'the same text' : counts.join(', ')}`;
}
