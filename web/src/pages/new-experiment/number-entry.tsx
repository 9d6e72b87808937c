import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import type { TomlValue } from 'smol-toml';

import { numberOf, shownNumber } from './numbers';

interface Props extends Pick<TextInputProps, 'label' | 'description' | 'placeholder'> {
  readonly value: TomlValue | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: TomlValue | undefined) => void;
}

/** A number as it is typed: `0.0` on the way to `0.05` stays, though it is 0 already. */
export function NumberEntry({ value, onChange, ...others }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...others}
      inputMode="decimal"
      value={shownNumber(typed, value)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onChange(numberOf(text));
      }}
    />
  );
}
