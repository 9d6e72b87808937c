import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  /** Values and what stands for them. */
  readonly of: readonly (readonly [string, ReactNode])[];
  readonly onChange: (value: string) => void;
}

/** One of several, with the word before it. */
export function Choice({ label, value, of, onChange }: Props) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {of.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
