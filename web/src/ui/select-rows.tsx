import { Checkbox } from '@mantine/core';

/** Which rows are selected, by number. */
export interface Selection {
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (selected: ReadonlySet<number>) => void;
}

interface Props extends Selection {
  readonly ids: readonly number[];
  readonly label: string;
}

/** Selects rows, or gives them up: one of them, or all of a table. */
export function SelectRows({ ids, label, selected, onSelect }: Props) {
  const chosen = ids.filter((id) => selected.has(id)).length;
  const whole = chosen > 0 && chosen === ids.length;
  return (
    <Checkbox
      size="xs"
      aria-label={label}
      checked={whole}
      indeterminate={chosen > 0 && !whole}
      onChange={() => {
        const next = new Set(selected);
        for (const id of ids) {
          if (whole) next.delete(id);
          else next.add(id);
        }
        onSelect(next);
      }}
    />
  );
}
