import { Group, List, MultiSelect, Select, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { metricLabel, metricOf, METRIC_NAMES, METRICS, metricTitle } from '../../lib/metrics';
import { testbedTitle } from '../../results/model';
import { Asked, Empty } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { Bullets, Muted } from '../../ui/text';
import { useAddress } from '../../ui/use-address';
import { ExperimentFilter, TagsFilter } from '../batches/filters';
import { differing, reachOf, stretchesOf } from './course';
import { TrendChart } from './trend-chart';

type Trend = Schema<'TrendView'>;
type Series = Schema<'TrendSeriesView'>;
type Change = Schema<'TrendChangeView'>;

/** Whether anything is known to choose variants and links from, before the trend is there. */
interface Wanted {
  readonly experiment: string | null;
  readonly tags: readonly string[];
  readonly metric: string;
  readonly variants: readonly string[];
  readonly links: readonly string[];
}

/** A metric over batches that have a tag or an experiment in common, and where it changed. */
export function Component() {
  const { params, change } = useAddress();
  const metric = params.get('metric') ?? '';
  const wanted: Wanted = {
    experiment: params.get('experiment'),
    tags: params.getAll('tag'),
    metric: METRIC_NAMES.includes(metric) ? metric : 'elapsed_s',
    variants: params.getAll('v'),
    links: params.getAll('link'),
  };
  return (
    <Page
      title="Trend"
      above={[{ label: 'Runs', to: to.batches }]}
      about="A metric over batches that have an experiment or a tag in common, such as those of a schedule, and where it changed."
    >
      <Group align="flex-start" role="search" aria-label="Trend">
        <ExperimentFilter
          value={wanted.experiment}
          onChange={(experiment) => change({ experiment, v: null, link: null }, 'push')}
        />
        <TagsFilter tags={wanted.tags} onChange={(tag) => change({ tag, v: null, link: null }, 'push')} />
        <Select
          label="Metric"
          w={{ base: '100%', xs: 280 }}
          data={METRICS.map((one) => ({ value: one.name, label: metricLabel(one) }))}
          value={wanted.metric}
          allowDeselect={false}
          searchable
          onChange={(next) => change({ metric: next }, 'push')}
        />
      </Group>
      {wanted.experiment === null && wanted.tags.length === 0 ? (
        <Empty title="Which batches?">
          Choose an experiment, or a tag that batches have in common. Batches are tagged on the runs page.
        </Empty>
      ) : (
        <Shown wanted={wanted} />
      )}
    </Page>
  );
}

function Shown({ wanted }: { readonly wanted: Wanted }) {
  const { experiment, tags, metric, variants, links } = wanted;
  const query = api.useQuery(
    'get',
    '/api/v1/trends',
    {
      params: {
        query: {
          metric,
          ...(experiment !== null && { experiment }),
          ...(tags.length > 0 && { tag: [...tags] }),
          ...(variants.length > 0 && { variant: [...variants] }),
          ...(links.length > 0 && { link: [...links] }),
        },
      },
    },
    { placeholderData: keepPreviousData },
  );
  return (
    <Asked query={query} failed="The trend could not be read" what="the trend" rows={8}>
      {(trend) => (
        <Stack gap="xl">
          <Parts trend={trend} wanted={wanted} />
          {trend.series.length === 0 ? (
            <Empty title="Nothing to follow">
              None of these batches has a finished run with {metricOf(trend.metric).label}.
            </Empty>
          ) : (
            <>
              <Changes trend={trend} />
              <Charts trend={trend} />
            </>
          )}
        </Stack>
      )}
    </Asked>
  );
}

/** Which variants and links: fewer of them leave more power for each. */
function Parts({ trend, wanted }: { readonly trend: Trend; readonly wanted: Wanted }) {
  const { change } = useAddress();
  const all = (key: 'variant' | 'link', chosen: readonly string[]) => [
    ...new Set([...trend.series.map((one) => one[key]), ...chosen]),
  ];
  const select = (label: string, data: readonly string[], value: readonly string[], key: 'v' | 'link') =>
    (data.length > 1 || value.length > 0) && (
      <MultiSelect
        label={label}
        placeholder={value.length === 0 ? 'All' : ''}
        w={{ base: '100%', xs: 320 }}
        data={[...data]}
        value={[...value]}
        clearable
        clearButtonProps={{ 'aria-label': `All ${label.toLowerCase()}` }}
        onChange={(next) => change({ [key]: next }, 'push')}
      />
    );
  return (
    <Group align="flex-end">
      {select('Variants', all('variant', wanted.variants), wanted.variants, 'v')}
      {select('Links', all('link', wanted.links), wanted.links, 'link')}
    </Group>
  );
}

/** Where something changed, in words. */
function Changes({ trend }: { readonly trend: Trend }) {
  const found = trend.series.flatMap((series) => series.changes.map((change) => ({ series, change })));
  const least = Math.min(...trend.series.map(({ points }) => points.length));
  return (
    <Section title="Changes">
      {found.length === 0 ? (
        <Muted>
          {least < trend.fewest
            ? `A change can be told from chance from ${trend.fewest} batches on.`
            : 'No change can be told from chance.'}
        </Muted>
      ) : (
        <List spacing="xs">
          {found.map(({ series, change }) => (
            <List.Item key={`${series.link} ${series.testbed} ${series.variant} ${change.batch}`}>
              <ChangeLine series={series} change={change} />
            </List.Item>
          ))}
        </List>
      )}
      {trend.notes.length > 0 && <Bullets of={trend.notes} />}
      <Muted maw="90ch">
        If nothing changed, at most {trend.false_alarms * 100} % of such trends show a change, all{' '}
        {plural(trend.series.length, 'series', 'series')} together, provided that the batches do not depend on
        each other. One batch alone at the end or in between is not called a change: compare it with the one
        before.
      </Muted>
    </Section>
  );
}

function ChangeLine({ series, change }: { readonly series: Series; readonly change: Change }) {
  return (
    <>
      <Text span>
        On {series.link}, {testbedTitle(series.testbed)}: {change.text}.
      </Text>{' '}
      <TextLink to={`${to.compareBatches(change.last_before, change.batch)}&${sideIn(series)}`}>
        Compare batches {change.last_before} and {change.batch}
      </TextLink>
      <Text size="xs" c="dimmed">
        {change.apart.length === 0
          ? 'Both were given the same, engine included.'
          : `Between the two, this was changed: ${differing(change.apart)}.`}
      </Text>
    </>
  );
}

function sideIn({ variant, link }: Series): string {
  return new URLSearchParams({ va: variant, vb: variant, la: link, lb: link }).toString();
}

/** A chart for each series; those of one link and testbed share their axis. */
function Charts({ trend }: { readonly trend: Trend }) {
  const title = metricTitle(metricOf(trend.metric));
  const places = [...new Set(trend.series.map(({ link, testbed }) => `${link} ${testbed}`))];
  return places.map((place) => {
    const here = trend.series.filter(({ link, testbed }) => `${link} ${testbed}` === place);
    const reach = reachOf(here);
    const [{ link, testbed }] = here;
    return (
      <Section key={place} title={`${title} on ${link}, ${testbedTitle(testbed)}`}>
        {here.map((series) => (
          <Stack key={series.variant} gap={4}>
            <Title order={3} size="h5">
              {series.variant}
            </Title>
            <TrendChart
              trend={trend}
              series={series}
              reach={reach}
              label={`${title} of ${series.variant} on ${link}: the median of each batch`}
            />
            {stretchesOf(series)
              .slice(1)
              .map(([{ batch, apart }]) => (
                <Muted key={batch} size="xs">
                  Batch {batch} is not comparable with those before it: {differing(apart)} changed.
                </Muted>
              ))}
            {series.note !== null && <Muted size="xs">{series.note}</Muted>}
          </Stack>
        ))}
      </Section>
    );
  });
}
