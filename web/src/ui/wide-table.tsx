import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** What the table is, for those who come to it by keys. */
  readonly label: string;
  /** CSS pixels below which it scrolls sideways. */
  readonly minWidth: number;
  /** CSS pixels above which it scrolls down. */
  readonly maxHeight?: number;
  readonly children: ReactNode;
}

/** A table that scrolls where it has no room. Who has no pointer scrolls it by keys, so that it takes the focus and has a name. */
export function WideTable({ label, minWidth, maxHeight, children }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      {...(maxHeight !== undefined && { mah: maxHeight })}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      {children}
    </Table.ScrollContainer>
  );
}
