import { Group, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { Asked, Empty } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Pager } from '../../ui/pager';
import { StateBadge } from '../../ui/state-badge';
import { RUN_STATES, stateInWords } from '../../ui/states';
import { useAddress } from '../../ui/use-address';
import { Row, WideTable, numeric, whole } from '../../ui/table';
import { useResolved } from '../../parts/use-resolved';
import { remarks } from './run-table';

type RunLine = Schema<'RunLine'>;

const LIMIT = 50;

/** The runs of a batch that has too many to read them all, in the order of its plan; `state`, `variant` and `after` in the address say which. */
export function RunList({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const { params, change } = useAddress();
  const states = RUN_STATES.filter((state) => params.getAll('state').includes(state));
  const variant = params.get('variant');
  const after = params.get('after');
  const resolved = useResolved(batch.id);
  const variants = new Set(resolved.data?.variants.map(({ name }) => name));
  if (variant !== null) variants.add(variant);
  const runs = api.useQuery(
    'get',
    '/api/v1/runs',
    {
      params: {
        query: {
          batch: batch.id,
          order: 'oldest',
          limit: LIMIT,
          ...(states.length === 0 ? {} : { state: states }),
          ...(variant === null ? {} : { variant }),
          ...(after === null ? {} : { cursor: after }),
        },
      },
    },
    { placeholderData: keepPreviousData },
  );
  return (
    <Stack>
      <Group align="flex-end">
        <MultiSelect
          label="State"
          placeholder={states.length === 0 ? 'Any state' : ''}
          w={{ base: '100%', xs: 300 }}
          data={RUN_STATES.map((state) => ({ value: state, label: stateInWords(state) }))}
          value={states}
          onChange={(state) => change({ state, after: null }, 'push')}
          clearable
          clearButtonProps={{ 'aria-label': 'Any state' }}
        />
        <Select
          label="Variant"
          placeholder="Any variant"
          w={{ base: '100%', xs: 260 }}
          data={[...variants]}
          value={variant}
          onChange={(name) => change({ variant: name, after: null }, 'push')}
          clearable
          allowDeselect
          clearButtonProps={{ 'aria-label': 'Any variant' }}
        />
      </Group>
      <Asked query={runs} failed="The runs could not be read" what="the runs" rows={8}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="No such runs">
              {states.length > 0 || variant !== null
                ? 'No run of this batch has that variant and that state.'
                : 'All runs of this batch have been deleted.'}
            </Empty>
          ) : (
            <>
              <Lines runs={items} links={resolved.data?.links.length ?? 1} />
              <Pager of="runs" next={next} />
            </>
          )
        }
      </Asked>
    </Stack>
  );
}

function Lines({ runs, links }: { readonly runs: readonly RunLine[]; readonly links: number }) {
  const several = links > 1;
  return (
    <WideTable
      label="Runs of this batch"
      minWidth={several ? 760 : 640}
      highlightOnHover
      heads={['Run', 'Variant', several && 'Link', numeric('Repetition'), 'State', 'Ended', 'Remarks']}
    >
      {runs.map((run) => (
        <Row
          key={run.id}
          head={<TextLink to={to.run(run.id)}>{run.id}</TextLink>}
          cells={[
            <>
              {run.variant}
              {run.testbed !== 'sim' && (
                <Text span size="xs" c="dimmed">
                  {' '}
                  live
                </Text>
              )}
            </>,
            several && run.link,
            numeric(run.repetition),
            whole(<StateBadge state={run.state} />),
            whole(run.ended_at === null ? '–' : <Moment at={run.ended_at} />),
            { className: 'run-remarks', children: remarks(run) },
          ]}
        />
      ))}
    </WideTable>
  );
}
