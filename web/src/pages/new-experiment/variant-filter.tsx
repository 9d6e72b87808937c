import { Group, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

import { findNames } from '../../lib/find';
import { plural } from '../../lib/format';
import { Muted } from '../../ui/text';

/** What is known of a variant beyond its title. */
export interface About {
  readonly description: string;
  readonly ours: boolean;
  /** Whether it is a file of the user's own, and not shipped. */
  readonly own: boolean;
  /** Its mechanisms as files call them; of a kernel they are not known. */
  readonly recovery: string;
  readonly detection: string;
}

/** Which variants are looked for. */
export interface Wanted {
  readonly words: string;
  /** Null: any. */
  readonly recovery: string | null;
  readonly detection: string | null;
}

/** Nothing is left out. */
export const EVERY: Wanted = { words: '', recovery: null, detection: null };

/** Whether something is looked for. */
export const isNarrowed = ({ words, recovery, detection }: Wanted) =>
  words.trim() !== '' || recovery !== null || detection !== null;

/**
 * What most experiments compare: a host of today, the recoveries of textbooks, the detectors of spurious timeouts, and what
 * Linux and the large services run.
 */
export const SUGGESTED: readonly string[] = [
  'modern',
  'newreno',
  'sack',
  'frto+sack',
  'eifel+sack',
  'rack-tlp',
  'sack+cubic',
  'bbr',
  'linux',
  'linux-bbr',
];

/** Of these variants the suggested ones, those of the user's own, and those that are chosen. */
export function suggestedOf(
  variants: readonly (readonly [string, string])[],
  about: ReadonlyMap<string, About> | null,
  chosen: readonly string[],
): readonly (readonly [string, string])[] {
  return variants.filter(
    ([name]) => SUGGESTED.includes(name) || about?.get(name)?.own === true || chosen.includes(name),
  );
}

/** The variants that are looked for, and those that are chosen already: nothing chosen is out of sight. */
export function shownVariants(
  variants: ReadonlyMap<string, string>,
  about: ReadonlyMap<string, About> | null,
  { words, recovery, detection }: Wanted,
  chosen: readonly string[],
): readonly (readonly [string, string])[] {
  const names = [...variants.keys()];
  const of = (name: string) => `${variants.get(name) ?? ''} ${about?.get(name)?.description ?? ''}`;
  const found = findNames(names, words, of).filter((name) => {
    const known = about?.get(name);
    return (
      (recovery === null || known?.recovery === recovery) &&
      (detection === null || known?.detection === detection)
    );
  });
  const others = names.filter((name) => chosen.includes(name) && !found.includes(name));
  return [...found, ...others].map((name) => [name, variants.get(name) ?? ''] as const);
}

interface Props {
  readonly filter: Wanted;
  readonly onChange: (filter: Wanted) => void;
  readonly about: ReadonlyMap<string, About>;
  readonly shown: number;
  readonly of: number;
}

/** Narrows the list of variants by words and by what they do. */
export function VariantFilter({ filter, onChange, about, shown, of }: Props) {
  const kinds = (key: 'recovery' | 'detection') =>
    [...new Set([...about.values()].map((one) => one[key]))].filter((kind) => kind !== '').sort();
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Variants">
      <TextInput
        type="search"
        label="Search variants"
        placeholder="A name, or what it does"
        leftSection={<IconSearch size={16} aria-hidden />}
        style={{ flex: '1 1 14rem' }}
        value={filter.words}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, words: value })}
      />
      <Select
        label="Recovery"
        placeholder="Any"
        w={160}
        clearable
        allowDeselect
        clearButtonProps={{ 'aria-label': 'Any recovery' }}
        data={kinds('recovery')}
        value={filter.recovery}
        onChange={(recovery) => onChange({ ...filter, recovery })}
      />
      <Select
        label="Detection"
        placeholder="Any"
        w={160}
        clearable
        allowDeselect
        clearButtonProps={{ 'aria-label': 'Any detection' }}
        data={kinds('detection')}
        value={filter.detection}
        onChange={(detection) => onChange({ ...filter, detection })}
      />
      <Muted role="status" mb={8}>
        {shown} of {plural(of, 'variant')}
      </Muted>
    </Group>
  );
}
