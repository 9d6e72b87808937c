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
  readonly caption?: ReactNode;
  readonly columns: readonly Column[];
  /** Bodies of rows; the first cell of each row is its head. */
  readonly children: ReactNode;
}

/** A table that scrolls by itself where it is wider than the page. */
export function Table({ className, caption, columns, children }: Props) {
  return (
    <div className="wide">
      <table className={`plain ${className}`}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col" title={column.title} className={column.className}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </div>
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
