import {
  MultiSelect,
  Select,
  Stack,
  Text,
  type ComboboxItem,
  type OptionsFilter,
  type SelectProps,
} from '@mantine/core';

import type { DocumentLine } from '../api/documents';
import { findNames } from '../lib/find';

interface Props extends Pick<SelectProps, 'className' | 'inputContainer' | 'inputWrapperOrder'> {
  readonly label: string;
  readonly description?: string;
  /** Names and titles. */
  readonly documents: ReadonlyMap<string, string>;
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
export function DocumentSelect({ documents, value, onChange, none, onClear, ...others }: One) {
  return (
    <Select
      searchable
      selectFirstOptionOnChange
      maxDropdownHeight={340}
      data={[...(none === undefined ? [] : [{ value: '', label: none }]), ...documents.keys()]}
      filter={byWords(documents)}
      nothingFoundMessage="No name or title has all of these words"
      renderOption={({ option }) => (
        <Option
          name={option.value === '' ? option.label : option.value}
          title={documents.get(option.value)}
        />
      )}
      placeholder="Search by name or title"
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
export function DocumentMultiSelect({ documents, value, onChange, ...others }: Many) {
  return (
    <MultiSelect
      searchable
      selectFirstOptionOnChange
      hidePickedOptions
      maxDropdownHeight={340}
      data={[...documents.keys()]}
      filter={byWords(documents)}
      nothingFoundMessage="No name or title has all of these words"
      renderOption={({ option }) => <Option name={option.value} title={documents.get(option.value)} />}
      placeholder="Search by name or title"
      value={[...value]}
      onChange={onChange}
      {...others}
    />
  );
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
