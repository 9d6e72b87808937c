import type { TomlTable } from 'smol-toml';
import type { ReactNode } from 'react';

import { wrongWithin } from '../../../api/problems';
import type { FormTable } from '../../../lib/schema-table';
import { pathText, type Path } from '../../../lib/values';
import { heldKind } from '../../../link/fields';
import { TableFields } from '../../../link/table-fields';
import { Card, TextAlone } from './card';
import { useLink } from './use-link';

interface Props {
  readonly table: FormTable;
  /** Where in the link it stands. */
  readonly path: Exclude<Path, string>;
  readonly title: string;
  readonly of?: string;
  readonly about?: string;
  readonly beside?: ReactNode;
  readonly kindLabel?: string;
}

/** A table of the link with its fields, or with what is said of one that has none. */
export function TableCard({ table, path, kindLabel, ...card }: Props) {
  const { at, set, problems } = useLink();
  const said = at(path);
  return (
    <Card {...card} onRemove={() => set(path, undefined)}>
      {heldKind(table, said) === null ? (
        <TextAlone />
      ) : (
        <TableFields
          table={table}
          {...(kindLabel !== undefined && { kindLabel })}
          said={said as TomlTable}
          wrong={wrongWithin(problems, pathText(path))}
          onChange={(changed, field) =>
            set(path, changed, field === undefined ? undefined : pathText([...path, field]))
          }
        />
      )}
    </Card>
  );
}
