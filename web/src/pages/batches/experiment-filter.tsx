import { Select } from '@mantine/core';

import { api } from '../../api/client';

interface Props {
  readonly value: string | null;
  readonly onChange: (name: string | null) => void;
}

/** The API's largest page: enough names to choose from. One that is not among them can stand in the address. */
const NAMES = 500;

/** Which experiment's batches to show. */
export function ExperimentFilter({ value, onChange }: Props) {
  const experiments = api.useQuery('get', '/api/v1/experiments', { params: { query: { limit: NAMES } } });
  const names = new Set(experiments.data?.items.map((one) => one.name));
  if (value !== null) names.add(value);
  return (
    <Select
      label="Experiment"
      placeholder="All experiments"
      w={{ base: '100%', xs: 380 }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All experiments' }}
      data={[...names].sort()}
      value={value}
      onChange={onChange}
      nothingFoundMessage="No experiment of that name"
    />
  );
}
