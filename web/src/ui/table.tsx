import {
  Group,
  Table,
  UnstyledButton,
  type TableProps,
  type TableTdProps,
  type TableThProps,
} from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends TableProps {
  /** What the table is, for those who come to it by keys. */
  readonly label: string;
  /** CSS pixels below which it scrolls sideways. */
  readonly minWidth: number;
  /** CSS pixels above which it scrolls down. */
  readonly maxHeight?: number;
  readonly heads: readonly Head[];
}

/** A table that scrolls where it has no room. Who has no pointer scrolls it by keys, so that it takes the focus and has a name. */
export function WideTable({ label, minWidth, maxHeight, heads, children, ...table }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      {...(maxHeight !== undefined && { mah: maxHeight })}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      <Table aria-label={label} {...table}>
        <Heads of={heads} />
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export type Head = string | null | false | (TableThProps & { readonly children: ReactNode });

/** The head of a table: a word for each column, with what a column has besides; `null` is a column without one. */
export function Heads({ of }: { readonly of: readonly Head[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {of.map((head, i) => {
          if (head === false) return null;
          if (head === null) return <Table.Td key={i} />;
          return <Table.Th key={i} scope="col" {...(typeof head === 'string' ? { children: head } : head)} />;
        })}
      </Table.Tr>
    </Table.Thead>
  );
}

export interface Sorting {
  readonly label: string;
  /** What the column is, for those who do not know it by its name. */
  readonly title?: string;
  /** Whether the table is sorted by this column, and in which direction. */
  readonly sorted: 'ascending' | 'descending' | null;
  readonly onSort: () => void;
  readonly isNumeric?: boolean;
  /** What stands before the label, as a box that selects all rows. */
  readonly before?: ReactNode;
}

/** The head of a column that sorts the table. */
export function sortHead({ label, title, sorted, onSort, isNumeric = false, before }: Sorting): Head {
  const sign = sorted === null ? '' : sorted === 'ascending' ? ' ↑' : ' ↓';
  return {
    'aria-sort': sorted ?? 'none',
    ...(isNumeric && { className: 'numeric' }),
    children: (
      <Group gap="xs" wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
        {before}
        <UnstyledButton fz="inherit" fw="inherit" title={title} onClick={onSort}>
          {label}
          <span aria-hidden>{sign}</span>
        </UnstyledButton>
      </Group>
    ),
  };
}

/** A number in its column, or the head of such a column. */
export const numeric = <Content extends ReactNode>(children: Content) => ({ children, className: 'numeric' });

/** What stays on one line, and is never cut. */
export const whole = <Content extends ReactNode>(children: Content) => ({ children, className: 'whole' });

/** What is in a cell, or that with what its cell has besides; `false` is no cell. */
type Cell = ReactNode | (TableTdProps & { readonly children: ReactNode });

const hasProps = (cell: Cell): cell is Exclude<Cell, ReactNode> =>
  typeof cell === 'object' && cell !== null && 'children' in cell;

interface RowProps {
  /** What the row is of, if a head says so. */
  readonly head?: ReactNode;
  /** Of the other columns. */
  readonly cells: readonly Cell[];
  readonly bold?: boolean;
}

/** A line of a table. */
export function Row({ head, cells, bold = false }: RowProps) {
  return (
    <Table.Tr>
      {head !== undefined && (
        <Table.Th scope="row" {...(!bold && { fw: 400 })}>
          {head}
        </Table.Th>
      )}
      {cells.map((cell, i) => {
        if (cell === false) return null;
        return <Table.Td key={i} {...(hasProps(cell) ? cell : { children: cell })} />;
      })}
    </Table.Tr>
  );
}
