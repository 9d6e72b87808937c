import { Group, MultiSelect, Pagination, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconBan, IconDownload, IconRefresh, IconSearch, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { inOrder, metricInWords, metricLabel, metricOf, type Metric } from '../../lib/metrics';
import { saveFile } from '../../lib/save';
import { useResolved } from '../../parts/use-resolved';
import { ask, askToDelete } from '../../ui/ask';
import { Empty } from '../../ui/asked';
import { DownloadButton, SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { SelectRows, type Selection } from '../../ui/select-rows';
import { StateBadge } from '../../ui/state-badge';
import { RUN_STATES, stateInWords } from '../../ui/states';
import { numeric, Row, sortHead, whole, WideTable, type Sorting } from '../../ui/table';
import { Muted } from '../../ui/text';
import { useAddress } from '../../ui/use-address';
import { useTyped } from '../../ui/use-typed';
import { csvOf, linesOf, shownLines, type Line, type Wanted } from './run-lines';
import { useResults } from './use-results';
import { retriable, underWay, useRunActions, type RunActions } from './use-run-actions';

type RunLine = Schema<'RunLine'>;

const LIMIT = 50;

/** Metrics that have a column unless others are chosen. */
const USUAL = ['elapsed_s', 'goodput_bps', 'retransmissions', 'spurious_timeouts'];

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly RunLine[];
  /** Called when something was done to runs of which no event tells. */
  readonly onChanged: () => void;
}

/**
 * The runs of a batch with what they measured: to search, filter, sort, select and export. The address says how:
 * `state`, `variant`, `link`, `q`, `by` (with a minus the largest first), `column` and `page`.
 */
export function RunTable({ batch, runs, onChanged }: Props) {
  const { params, change } = useAddress();
  const [words, setWords] = useTyped('q');
  const results = useResults(batch.id);
  const cells = results.data?.cells;
  const lines = useMemo(() => linesOf(runs, cells ?? []), [runs, cells]);
  const measured = useMemo(
    () => inOrder((cells ?? []).flatMap(({ metrics }) => Object.keys(metrics))),
    [cells],
  );
  const wanted = wantedIn(params, words);
  const shown = shownLines(lines, wanted);
  const asked = params.getAll('column');
  const columns = (asked.length === 0 ? USUAL : asked).filter((name) => measured.includes(name));
  const pages = Math.max(1, Math.ceil(shown.length / LIMIT));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(params.get('page'))) || 1));
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  // What is filtered out meanwhile is out of sight, and nothing is done to it.
  const chosen = shown.filter(({ run }) => selected.has(run.id)).map(({ run }) => run);
  const actions = useRunActions(() => {
    setSelected(new Set());
    onChanged();
  });
  return (
    <Stack>
      <Filters batch={batch} wanted={wanted} words={words} onWords={setWords} />
      <MultiSelect
        label="Metrics"
        placeholder={columns.length === 0 ? 'None' : ''}
        data={measured.map((name) => ({ value: name, label: metricLabel(metricOf(name)) }))}
        value={columns}
        onChange={(column) => change({ column }, 'push')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'The usual metrics' }}
      />
      <Group justify="space-between">
        <Selected batch={batch} runs={chosen} actions={actions} />
        <Group gap="sm">
          <Muted role="status">
            {shown.length === runs.length
              ? plural(runs.length, 'run')
              : `${shown.length} of ${plural(runs.length, 'run')}`}
          </Muted>
          <SignButton
            size="xs"
            sign={IconDownload}
            disabled={shown.length === 0}
            onClick={() =>
              saveFile(new Blob([csvOf(shown, measured)], { type: 'text/csv' }), `batch-${batch.id}-runs.csv`)
            }
          >
            These as CSV
          </SignButton>
          <DownloadButton
            href={`/api/v1/batches/${batch.id}/results.parquet`}
            download={`batch-${batch.id}.parquet`}
          >
            All as Parquet
          </DownloadButton>
        </Group>
      </Group>
      {shown.length === 0 ? (
        <Empty title="No such runs">No run of this batch is as you ask.</Empty>
      ) : (
        <Lines
          lines={shown.slice((page - 1) * LIMIT, page * LIMIT)}
          all={shown}
          {...{ columns, wanted, selected, onSelect: setSelected }}
        />
      )}
      {pages > 1 && (
        <Pagination
          aria-label="Pages of runs"
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          total={pages}
          value={page}
          onChange={(next) => change({ page: next === 1 ? null : String(next) }, 'push')}
        />
      )}
    </Stack>
  );
}

/** What the address asks for. */
function wantedIn(params: URLSearchParams, words: string): Wanted {
  const by = params.get('by');
  return {
    states: RUN_STATES.filter((state) => params.getAll('state').includes(state)),
    variant: params.get('variant'),
    link: params.get('link'),
    words,
    by: by === null ? null : by.replace(/^-/, ''),
    down: by?.startsWith('-') ?? false,
  };
}

interface FiltersProps {
  readonly batch: Schema<'BatchView'>;
  readonly wanted: Wanted;
  readonly words: string;
  readonly onWords: (words: string) => void;
}

function Filters({ batch, wanted: { states, variant, link }, words, onWords }: FiltersProps) {
  const { change } = useAddress();
  const resolved = useResolved(batch.id).data;
  const namesOf = (parts: readonly { readonly name: string }[] | undefined, chosen: string | null) => [
    ...new Set([...(parts ?? []).map(({ name }) => name), ...(chosen === null ? [] : [chosen])]),
  ];
  const links = namesOf(resolved?.links, link);
  return (
    <Group align="flex-end" role="search" aria-label="Runs">
      <TextInput
        type="search"
        label="Search runs"
        placeholder="Number, variant, seed, reason"
        leftSection={<IconSearch size={16} aria-hidden />}
        style={{ flex: '1 1 14rem' }}
        value={words}
        onChange={({ currentTarget: { value } }) => onWords(value)}
      />
      <MultiSelect
        label="State"
        placeholder={states.length === 0 ? 'Any state' : ''}
        w={{ base: '100%', xs: 260 }}
        data={RUN_STATES.map((state) => ({ value: state, label: stateInWords(state) }))}
        value={[...states]}
        onChange={(state) => change({ state, page: null }, 'push')}
        clearable
        clearButtonProps={{ 'aria-label': 'Any state' }}
      />
      <Select
        label="Variant"
        placeholder="Any variant"
        w={{ base: '100%', xs: 220 }}
        data={namesOf(resolved?.variants, variant)}
        value={variant}
        onChange={(name) => change({ variant: name, page: null }, 'push')}
        clearable
        allowDeselect
        clearButtonProps={{ 'aria-label': 'Any variant' }}
      />
      {links.length > 1 && (
        <Select
          label="Link"
          placeholder="Any link"
          w={{ base: '100%', xs: 220 }}
          data={links}
          value={link}
          onChange={(name) => change({ link: name, page: null }, 'push')}
          clearable
          allowDeselect
          clearButtonProps={{ 'aria-label': 'Any link' }}
        />
      )}
    </Group>
  );
}

interface SelectedProps {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly RunLine[];
  readonly actions: RunActions;
}

/** What can be done with the runs that are selected. */
function Selected({ batch, runs, actions }: SelectedProps) {
  const cancelled = runs.filter(underWay);
  const retried = runs.filter(retriable);
  if (runs.length === 0) return <Muted>Select runs to cancel, repeat or delete them.</Muted>;
  return (
    <Group gap="xs" role="group" aria-label="Selected runs">
      <Text size="sm" fw={600}>
        {plural(runs.length, 'run')} selected
      </Text>
      <SignButton
        size="xs"
        sign={IconBan}
        disabled={cancelled.length === 0 || actions.busy}
        onClick={() =>
          ask({
            title: `Cancel ${plural(cancelled.length, 'run')} of batch ${batch.id}?`,
            about: 'They have no result then; they can be queued again.',
            yes: 'Cancel them',
            no: 'Let them run',
            onYes: () => actions.cancel(cancelled),
          })
        }
      >
        Cancel
      </SignButton>
      <SignButton
        size="xs"
        sign={IconRefresh}
        disabled={retried.length === 0 || actions.busy}
        onClick={() => actions.retry(retried)}
      >
        Try again
      </SignButton>
      <SignButton
        size="xs"
        sign={IconTrash}
        disabled={actions.busy}
        onClick={() =>
          askToDelete(
            plural(runs.length, 'run'),
            'Their results are deleted too, unless other runs have the same ones. This cannot be undone.',
            () => actions.remove(runs),
          )
        }
      >
        Delete
      </SignButton>
    </Group>
  );
}

interface LinesProps extends Selection {
  readonly lines: readonly Line[];
  /** Those of all pages. */
  readonly all: readonly Line[];
  readonly columns: readonly string[];
  readonly wanted: Wanted;
}

function Lines({ lines, all, columns, wanted, ...selection }: LinesProps) {
  const { change } = useAddress();
  const several = new Set(all.map(({ run }) => run.link)).size > 1;
  const { by, down } = wanted;
  /** By a column upwards, then downwards, then as the plan has them. */
  const head = (label: string, key: string, more: Pick<Sorting, 'isNumeric' | 'title' | 'before'> = {}) =>
    sortHead({
      label,
      sorted: by === key ? (down ? 'descending' : 'ascending') : null,
      onSort: () => change({ by: by !== key ? key : down ? null : `-${key}`, page: null }, 'push'),
      ...more,
    });
  const headOf = (metric: Metric) =>
    head(metricLabel(metric), metric.name, { isNumeric: true, title: metric.definition });
  const everyRun = (
    <SelectRows
      {...selection}
      ids={all.map(({ run }) => run.id)}
      label={`Select all ${plural(all.length, 'run')}`}
    />
  );
  return (
    <WideTable
      label="Runs of this batch"
      minWidth={720 + 110 * columns.length + (several ? 120 : 0)}
      highlightOnHover
      heads={[
        head('Run', 'run', { before: everyRun }),
        head('Variant', 'variant'),
        several && head('Link', 'link'),
        head('Repetition', 'repetition', { isNumeric: true }),
        head('State', 'state'),
        ...columns.map((name) => headOf(metricOf(name))),
        head('Seed', 'seed', { isNumeric: true }),
        head('Ended', 'ended'),
        'Remarks',
      ]}
    >
      {lines.map(({ run, metrics }) => (
        <Row
          key={run.id}
          head={
            <Group gap="md" wrap="nowrap">
              <SelectRows {...selection} ids={[run.id]} label={`Select run ${run.id}`} />
              <TextLink to={to.run(run.id)}>{run.id}</TextLink>
            </Group>
          }
          cells={[
            run.testbed === 'sim' ? run.variant : `${run.variant}, live`,
            several && run.link,
            numeric(run.repetition),
            whole(<StateBadge state={run.state} />),
            ...columns.map((name) => measuredCell(metrics[name], name)),
            numeric(run.seed),
            whole(run.ended_at === null ? '–' : <Moment at={run.ended_at} />),
            { className: 'run-remarks', children: remarks(run) },
          ]}
        />
      ))}
    </WideTable>
  );
}

/** A value with its unit, as everywhere else on the page. */
const measuredCell = (value: number | undefined, metric: string) => ({
  ...numeric(value === undefined ? '–' : metricInWords(value, metricOf(metric))),
  className: 'numeric whole',
});

/** What else there is to say of a run, in a line. */
export function remarks({ reason, cached, attempt }: RunLine): string {
  return [
    ...(reason === null ? [] : [reason]),
    ...(cached ? ['reuses an earlier result'] : []),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ].join('; ');
}
