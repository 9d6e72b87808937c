import { TextInput } from '@mantine/core';

import { NAME_RULES } from '../../lib/document-name';

interface Props {
  /** What the document is: a `link`. */
  readonly one: string;
  readonly name: string;
  /** What is wrong with the name. */
  readonly wrong: string | null;
  /** Whether the controller refused it, as there is one of this name. */
  readonly taken: boolean;
  readonly onChange: (name: string) => void;
  readonly onBlur?: () => void;
}

/** The name of a document that is to be made. */
export function NameField({ one, name, wrong, taken, onChange, onBlur }: Props) {
  return (
    <TextInput
      label="Name"
      description={NAME_RULES}
      required
      maw={460}
      autoComplete="off"
      spellCheck={false}
      value={name}
      error={taken ? `There is a ${one} called ${name} already.` : wrong}
      onBlur={onBlur}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
