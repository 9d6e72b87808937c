import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { IconPlus, IconTimeline } from '@tabler/icons-react';
import { useState } from 'react';

import { api, type Schema } from '../../api/client';
import { Asked, Empty } from '../../ui/asked';
import { LinkButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { useAddress } from '../../ui/use-address';
import { SelectRows, type Selection } from '../../ui/select-rows';
import { useTyped } from '../../ui/use-typed';
import { BatchTags } from '../../ui/batch/batch-facts';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { BatchTable } from './batch-table';
import { CapsuleUpload } from './capsule-upload';
import { Filters, isNarrowed, queryOf, wantedIn, type Wanted } from './filters';
import { RowActions } from './row-actions';
import { Selected } from './selection';

/** How many batches a page has. */
const LIMIT = 25;

/** How long nothing is typed until the search is made, ms. */
const TYPED_MS = 300;

/** All batches, to search, filter, sort and select; `q`, what `wantedIn` reads, and `after` (a cursor) in the address say which. */
export function Component() {
  const { params, change } = useAddress();
  const wanted = wantedIn(params);
  const [words, setWords] = useTyped('q');
  const [typed] = useDebouncedValue(words, TYPED_MS);
  const after = params.get('after');
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const query = { limit: LIMIT, ...queryOf(wanted, typed), ...(after === null ? {} : { cursor: after }) };
  const batches = api.useQuery(
    'get',
    '/api/v1/batches',
    { params: { query } },
    { placeholderData: keepPreviousData },
  );
  const everything = () => {
    setWords('');
    change({ experiment: null, tag: null, state: null, testbed: null, after: null }, 'push');
  };
  return (
    <Page
      title="Runs"
      about="Every batch: an experiment that was submitted, with all its runs."
      actions={
        <>
          <LinkButton to={trendIn(wanted)} sign={IconTimeline}>
            Trend
          </LinkButton>
          <LinkButton to={to.testbeds}>Queue and testbeds</LinkButton>
          <LinkButton to={to.newExperiment} sign={IconPlus} variant="filled">
            New experiment
          </LinkButton>
        </>
      }
    >
      <CapsuleUpload asked={params.get('upload') === 'capsule'}>
        <Stack>
          <Filters
            wanted={wanted}
            words={words}
            onWords={(next) => {
              setWords(next);
              if (after !== null) change({ after: null }, 'replace');
            }}
          />
          <Asked query={batches} failed="The batches could not be read" what="the batches" rows={8}>
            {({ items, next }) =>
              items.length > 0 ? (
                <>
                  <Batches batches={items} selected={selected} onSelect={setSelected} />
                  <Pager of="batches" next={next} />
                </>
              ) : (
                <NoBatches wanted={wanted} words={typed} older={after !== null} onEverything={everything} />
              )
            }
          </Asked>
        </Stack>
      </CapsuleUpload>
    </Page>
  );
}

/** The trend of the batches on show, where they have an experiment or a tag in common. */
function trendIn({ experiment, tags }: Wanted): string {
  if (experiment !== null) return to.trendOf('experiment', experiment);
  return tags.length === 0 ? to.trends : to.trendOf('tag', tags[0]);
}

interface NoneProps {
  readonly wanted: Wanted;
  readonly words: string;
  /** Whether they are asked for from some batch on. */
  readonly older: boolean;
  readonly onEverything: () => void;
}

/** Why there are no batches to show, and the way on. */
function NoBatches({ wanted, words, older, onEverything }: NoneProps) {
  const { experiment } = wanted;
  if (!isNarrowed(wanted, words) && !older)
    return (
      <Empty title="Nothing has been run here yet" go={['First experiment in five minutes', to.welcome]}>
        Run an experiment, or drop a capsule here: one file that contains all of a run from another machine.
      </Empty>
    );
  const alone = experiment !== null && !isNarrowed({ ...wanted, experiment: null }, words);
  return (
    <Empty
      title={alone ? `${experiment} has not been run here` : older ? 'No more batches' : 'No such batches'}
      action={<Button onClick={onEverything}>Show all batches</Button>}
    >
      {alone
        ? 'It has no batches. Run it from its page, or show all batches.'
        : older
          ? 'These batches have been deleted.'
          : 'No batch is as you ask.'}
    </Empty>
  );
}

type Shown = Selection & { readonly batches: readonly Schema<'BatchView'>[] };

/** Those of a page, and what can be done with those of them that are selected. A table does not fit on a narrow screen. */
function Batches(shown: Shown) {
  const { batches, selected, onSelect } = shown;
  const narrow = useMediaQuery('(max-width: 48em)');
  const chosen = batches.filter(({ id }) => selected.has(id));
  return (
    <Stack gap="xs">
      {chosen.length > 0 && <Selected batches={chosen} onDone={() => onSelect(new Set())} />}
      {narrow ? <BatchCards {...shown} /> : <BatchTable {...shown} />}
    </Stack>
  );
}

/** Batches one below the other, for narrow screens. */
function BatchCards({ batches, ...selection }: Shown) {
  return (
    <Stack component="ul" aria-label="Batches" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {batches.map((batch) => (
        <Paper key={batch.id} component="li" withBorder p="sm">
          <Stack gap="xs">
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
                <TextLink to={to.batch(batch.id)} fw={600}>
                  {batch.title || batch.experiment}
                </TextLink>
                <Text size="xs" c="dimmed" ff="monospace">
                  {batch.experiment}, seed {batch.seed}
                </Text>
              </Stack>
              <RowActions batch={batch} />
            </Group>
            <Group gap={6}>
              <SelectRows {...selection} ids={[batch.id]} label={`Select batch ${batch.id}`} />
              <BatchBadge batch={batch} />
              <BatchTags batch={batch} />
              <Text size="xs" c="dimmed" span>
                batch {batch.id}, <Moment at={batch.created_at} />
              </Text>
            </Group>
            {batch.note !== '' && (
              <Text size="xs" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                {batch.note}
              </Text>
            )}
            <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}
