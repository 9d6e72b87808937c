import {
  MultiSelect,
  Select,
  Stack,
  Text,
  type ComboboxItem,
  type OptionsFilter,
  type SelectProps,
} from '@mantine/core';
import { useState } from 'react';

import type { DocumentLine } from '../api/documents';
import { findNames } from '../lib/find';
import { isScenario, scenarioIn } from '../lib/scenario';

interface Searched {
  /** Names and titles. */
  readonly documents: ReadonlyMap<string, string>;
  /** Of links: whether a scenario may be typed in the place of a name. */
  readonly scenarios?: boolean;
}

interface Props extends Searched, Pick<SelectProps, 'className' | 'inputContainer' | 'inputWrapperOrder'> {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
}

/** What a list of documents says of each, by its name. */
export function titlesOf(documents: readonly DocumentLine[]): ReadonlyMap<string, string> {
  return new Map(documents.map(({ name, title }) => [name, title]));
}

interface One extends Props {
  readonly value: string | null;
  readonly onChange: (name: string) => void;
  /** What no choice at all stands for, where there may be none. */
  readonly none?: string;
  readonly onClear?: () => void;
}

interface Many extends Props {
  readonly value: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** Chooses a document among all of a kind; typing searches names and titles. */
export function DocumentSelect({
  documents,
  scenarios = false,
  value,
  onChange,
  none,
  onClear,
  ...others
}: One) {
  const search = useNameSearch({ documents, scenarios }, value === null ? [] : [value]);
  return (
    <Select
      {...search.props}
      data={[...(none === undefined ? [] : [{ value: '', label: none }]), ...search.names]}
      value={value ?? (none === undefined ? null : '')}
      onChange={(name) => {
        if (name === '') onClear?.();
        else if (name !== null) onChange(name);
      }}
      {...others}
    />
  );
}

/** Chooses several. */
export function DocumentMultiSelect({ documents, scenarios = false, value, onChange, ...others }: Many) {
  const search = useNameSearch({ documents, scenarios }, value);
  return (
    <MultiSelect
      {...search.props}
      hidePickedOptions
      data={[...search.names]}
      value={[...value]}
      onChange={onChange}
      {...others}
    />
  );
}

/** A field that searches, and what is there to choose: what is chosen, too, and the scenario that is typed. */
function useNameSearch({ documents, scenarios }: Required<Searched>, chosen: readonly string[]) {
  const [typed, setTyped] = useState('');
  const scenario = scenarios ? scenarioIn(typed) : null;
  return {
    names: new Set([...documents.keys(), ...chosen, ...(scenario === null ? [] : [scenario])]),
    props: {
      searchable: true,
      searchValue: typed,
      onSearchChange: setTyped,
      selectFirstOptionOnChange: true,
      maxDropdownHeight: 340,
      filter: byWords(documents),
      nothingFoundMessage: 'No name or title has all of these words',
      placeholder: 'Search by name or title',
      renderOption: ({ option: { value, label } }: { readonly option: ComboboxItem }) => (
        <Option
          name={value === '' ? label : value}
          title={isScenario(value) ? 'A scenario of the QUIC network simulator' : documents.get(value)}
        />
      ),
    },
  };
}

function Option({ name, title }: { readonly name: string; readonly title: string | undefined }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Text size="xs" className="option-about">
        {title}
      </Text>
    </Stack>
  );
}

/** What typing finds, what is called so first. */
function byWords(documents: ReadonlyMap<string, string>): OptionsFilter {
  return ({ options, search }) => {
    const items = new Map((options as ComboboxItem[]).map((item) => [item.value, item]));
    const names = findNames([...items.keys()], search, (name) => documents.get(name) ?? '');
    return names.flatMap((name) => items.get(name) ?? []);
  };
}
