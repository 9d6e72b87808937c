import { Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { tagsProblem } from '../../ui/batch/labels';
import { isTestbed, TESTBEDS, type Testbed } from '../../ui/testbeds';
import { useAddress } from '../../ui/use-address';

type Batch = Schema<'BatchView'>;

/** The API's largest page: enough names to choose from. One that is not among them can stand in the address. */
const NAMES = 500;

const STATES: readonly Batch['state'][] = ['queued', 'running', 'ended'];

/** Which batches are looked for. */
export interface Wanted {
  readonly experiment: string | null;
  readonly tags: readonly string[];
  readonly state: Batch['state'] | null;
  readonly testbed: Testbed | null;
  readonly oldest: boolean;
}

/** What the address asks for: `experiment`, `tag`, `state`, `testbed`, `order`; what nobody can ask for is left out. */
export function wantedIn(params: URLSearchParams): Wanted {
  const testbed = params.get('testbed');
  return {
    experiment: params.get('experiment'),
    tags: params.getAll('tag').filter((tag) => tagsProblem([tag]) === null),
    state: STATES.find((state) => state === params.get('state')) ?? null,
    testbed: testbed !== null && isTestbed(testbed) ? testbed : null,
    oldest: params.get('order') === 'oldest',
  };
}

/** Whether some batches are left out. */
export const isNarrowed = ({ experiment, tags, state, testbed }: Wanted, words: string) =>
  experiment !== null || tags.length > 0 || state !== null || testbed !== null || words !== '';

/** How many characters of a search the API takes. */
const MOST_WORDS = 100;

/** The query of the API for these. */
export function queryOf({ experiment, tags, state, testbed, oldest }: Wanted, words: string) {
  const asked = words.trim().slice(0, MOST_WORDS);
  return {
    ...(experiment !== null && { experiment }),
    ...(tags.length > 0 && { tag: [...tags] }),
    ...(state !== null && { state }),
    ...(testbed !== null && { testbed }),
    ...(oldest && { order: 'oldest' as const }),
    ...(asked !== '' && { words: asked }),
  };
}

interface Props {
  readonly wanted: Wanted;
  readonly words: string;
  readonly onWords: (words: string) => void;
}

/** Which batches to show, and in which order. */
export function Filters({ wanted: { tags, state, testbed, oldest, experiment }, words, onWords }: Props) {
  const { change } = useAddress();
  return (
    <Group align="flex-start" role="search" aria-label="Batches">
      <TextInput
        type="search"
        label="Search batches"
        placeholder="Title, note or tag"
        leftSection={<IconSearch size={16} aria-hidden />}
        style={{ flex: '1 1 12rem' }}
        value={words}
        onChange={({ currentTarget: { value } }) => onWords(value)}
      />
      <ExperimentFilter
        value={experiment}
        onChange={(name) => change({ experiment: name, after: null }, 'push')}
      />
      <TagsFilter tags={tags} onChange={(tag) => change({ tag, after: null }, 'push')} />
      <Select
        label="State"
        placeholder="Any state"
        w={{ base: '100%', xs: 120 }}
        data={[...STATES]}
        value={state}
        onChange={(next) => change({ state: next, after: null }, 'push')}
        clearable
        allowDeselect
        clearButtonProps={{ 'aria-label': 'Any state' }}
      />
      <Select
        label="Testbed"
        placeholder="Any testbed"
        w={{ base: '100%', xs: 160 }}
        data={TESTBEDS.map(({ value, label }) => ({ value, label }))}
        value={testbed}
        onChange={(next) => change({ testbed: next, after: null }, 'push')}
        clearable
        allowDeselect
        clearButtonProps={{ 'aria-label': 'Any testbed' }}
      />
      <Select
        label="Order"
        w={{ base: '100%', xs: 142 }}
        data={[
          { value: 'newest', label: 'Newest first' },
          { value: 'oldest', label: 'Oldest first' },
        ]}
        value={oldest ? 'oldest' : 'newest'}
        allowDeselect={false}
        onChange={(order) => change({ order: order === 'oldest' ? order : null, after: null }, 'push')}
      />
    </Group>
  );
}

interface TagsProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: string[]) => void;
}

/** Which tags batches have, all of them; not there while no batch has any. */
export function TagsFilter({ tags, onChange }: TagsProps) {
  const known = api.useQuery('get', '/api/v1/tags').data?.tags ?? [];
  if (known.length === 0 && tags.length === 0) return null;
  return (
    <MultiSelect
      label="Tags"
      placeholder={tags.length === 0 ? 'Any' : ''}
      w={{ base: '100%', xs: 220 }}
      data={[...new Set([...known.map(({ name }) => name), ...tags])]}
      value={[...tags]}
      onChange={onChange}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Any tags' }}
      // With a tag there is still one line.
      styles={{ inputField: { minWidth: 8 } }}
    />
  );
}

interface ExperimentProps {
  readonly value: string | null;
  readonly onChange: (name: string | null) => void;
}

/** Which experiment's batches to show. */
export function ExperimentFilter({ value, onChange }: ExperimentProps) {
  const experiments = api.useQuery('get', '/api/v1/experiments', { params: { query: { limit: NAMES } } });
  const names = new Set(experiments.data?.items.map((one) => one.name));
  if (value !== null) names.add(value);
  return (
    <Select
      label="Experiment"
      placeholder="All experiments"
      maw={{ base: '100%', xs: 300 }}
      style={{ flex: '1 1 12.5rem' }}
      searchable
      clearable
      allowDeselect
      clearButtonProps={{ 'aria-label': 'All experiments' }}
      data={[...names].sort()}
      value={value}
      onChange={onChange}
      nothingFoundMessage="No experiment of that name"
    />
  );
}
