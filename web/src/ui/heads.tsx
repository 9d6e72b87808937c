import { Table, type TableThProps } from '@mantine/core';

type Head = string | null | false | (TableThProps & { readonly children: string });

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

/** The head of a column of numbers. */
export const numeric = (children: string) => ({ children, className: 'numeric' });
