import { NativeSelect } from '@mantine/core';

import { Section } from '../../../ui/page';
import { Row, WideTable } from '../../../ui/table';
import { Muted } from '../../../ui/text';
import { QUANTITIES, UNITS, withColumn, type Answer, type Column, type Draft, type Quantity } from './draft';

interface Props {
  readonly file: Answer['files'][number];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

const CHOICES = [
  { value: '', label: 'Not used' },
  ...Object.entries(QUANTITIES).map(([value, label]) => ({ value, label })),
];

/** What each column of a table is taken for, to be corrected by hand. */
export function Columns({ file, draft, onDraft }: Props) {
  return (
    <Section title={`Columns of ${file.name}`}>
      <WideTable
        label={`Columns of ${file.name}`}
        minWidth={620}
        heads={['Column', 'First cells', 'What it has', 'Unit']}
      >
        {file.columns.map((column) => (
          <Row
            key={column.name}
            head={column.name}
            cells={[
              <Muted key="cells">{column.examples.slice(0, 3).join(', ') || 'empty'}</Muted>,
              <NativeSelect
                key="quantity"
                size="xs"
                aria-label={`What ${column.name} has`}
                data={CHOICES}
                value={column.quantity ?? ''}
                onChange={(event) => {
                  const value = event.currentTarget.value;
                  onDraft(withColumn(draft, column, value === '' ? null : (value as Quantity)));
                }}
              />,
              <Unit key="unit" {...{ column, draft, onDraft }} />,
            ]}
          />
        ))}
      </WideTable>
    </Section>
  );
}

interface UnitProps extends Omit<Props, 'file'> {
  readonly column: Column;
}

function Unit({ column, draft, onDraft }: UnitProps) {
  const { quantity, unit } = column;
  if (quantity === null) return null;
  if (unit === 'clock') return <Muted>date and time</Muted>;
  return (
    <NativeSelect
      size="xs"
      aria-label={`Unit of ${column.name}`}
      error={unit === null ? 'Choose' : null}
      data={[...(unit === null ? [''] : []), ...UNITS[quantity]]}
      value={unit ?? ''}
      onChange={(event) =>
        onDraft({ ...draft, units: { ...draft.units, [quantity]: event.currentTarget.value } })
      }
    />
  );
}
