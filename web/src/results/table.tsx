import type { ReactNode } from 'react';

/** The head of a column. */
export interface Column {
  readonly name: ReactNode;
  /** What the name means, for those who point at it. */
  readonly title?: string;
  readonly className?: string;
}

interface Props {
  readonly className: string;
  /** What the table is, for those who come to it by keys. */
  readonly label: string;
  readonly caption?: ReactNode;
  /** The heads of the columns, or the rows of a head of several. */
  readonly columns: readonly Column[] | ReactNode;
  /** Bodies of rows; the first cell of each row is its head. */
  readonly children: ReactNode;
}

/** A table that scrolls by itself where it is wider than the page: by keys as well, so that it takes the focus and has a name. */
export function Table({ className, label, caption, columns, children }: Props) {
  return (
    <div className="wide" tabIndex={0} role="group" aria-label={label}>
      <table className={`plain ${className}`}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>{isColumns(columns) ? <Heads columns={columns} /> : columns}</thead>
        {children}
      </table>
    </div>
  );
}

function isColumns(columns: Props['columns']): columns is readonly Column[] {
  return Array.isArray(columns);
}

function Heads({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <tr>
      {columns.map((column, i) => (
        <th key={i} scope="col" title={column.title} className={column.className}>
          {column.name}
        </th>
      ))}
    </tr>
  );
}

/** A row over the width of a table that names what the rows below belong to. */
export function GroupRow({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return (
    <tr className="group">
      <th colSpan={columns} scope="rowgroup">
        {children}
      </th>
    </tr>
  );
}
