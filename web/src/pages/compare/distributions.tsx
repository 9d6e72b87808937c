import { Button, Group, Select, Stack, Text, Title, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { boxDomain } from '../../figures/box-axis';
import { boxColors } from '../../figures/box-colors';
import { BoxPlot, type BoxRow } from '../../figures/box-plot';
import { saveElementPng, saveElementSvg } from '../../figures/save-element';
import { formatMetric, inOrder, metricOf, metricTitle } from '../../lib/metrics';
import { Failure } from '../../ui/failure';
import { notifyFailure } from '../../ui/notify';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import type { Choice } from './choice';
import type { Titles } from './titles';

type Cell = Schema<'CellTold'>;

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly choice: Choice;
  readonly titles: Titles;
}

/** CSS pixels that a saved figure is wide, whatever window it is saved from. */
const SAVED_WIDTH = 900;

/** Box plots of one metric of the chosen variants, on one axis. */
export function Distributions({ batch, choice, titles }: Props) {
  const { change } = useAddress();
  const results = api.useQuery('get', '/api/v1/batches/{id}/results', {
    params: { path: { id: batch.id } },
  });
  const cells = choice.variants.flatMap(
    (variant) =>
      results.data?.cells.find(
        (cell) => cell.variant === variant && cell.link === choice.link && cell.testbed === choice.testbed,
      ) ?? [],
  );
  const names = inOrder(cells.flatMap(({ metrics }) => Object.keys(metrics)));
  const name = names.find((one) => one === choice.metric) ?? names.at(0);
  return (
    <Stack component="section" gap="xs" aria-labelledby="distributions">
      <Title order={2} size="h4" id="distributions">
        Distributions
      </Title>
      {results.isPending && <Waiting what="the results" />}
      {results.error && (
        <Failure
          title="The results could not be read"
          error={results.error}
          onRetry={() => {
            void results.refetch();
          }}
        />
      )}
      {results.data && name === undefined && (
        <Text size="sm" c="dimmed">
          No run here has ended yet.
        </Text>
      )}
      {name !== undefined && (
        <Boxes
          batch={batch}
          cells={cells}
          names={names}
          name={name}
          choice={choice}
          titles={titles}
          onMetric={(metric) => {
            change({ metric }, 'push');
          }}
          onRepetition={(repetition) => {
            change({ repetition: String(repetition), t: null, y: null }, 'push');
          }}
        />
      )}
    </Stack>
  );
}

interface BoxesProps extends Props {
  readonly cells: readonly Cell[];
  readonly names: readonly string[];
  readonly name: string;
  readonly onMetric: (metric: string) => void;
  readonly onRepetition: (repetition: number) => void;
}

function Boxes({ batch, cells, names, name, choice, titles, onMetric, onRepetition }: BoxesProps) {
  const { ref, width } = useElementSize();
  const theme = useComputedColorScheme('light');
  const metric = metricOf(name);
  const rows = cells.map((cell) => rowOf(cell, name, titles));
  const figure = {
    rows,
    title: metricTitle(metric),
    say: (value: number) => formatMetric(value, metric),
    domain: boxDomain(rows.flatMap(({ spread }) => (spread ? [spread.min, spread.max] : []))),
    axisTitle: true,
  };
  const saved = <BoxPlot {...figure} width={SAVED_WIDTH} colors={boxColors('light')} />;
  const file = {
    name: `comparison-${batch.id}-${name}`,
    provenance: `${figure.title}, ${choice.variants.join(', ')} on ${choice.link}, testbed ${choice.testbed}; batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; Windlull ${batch.engine.version} (commit ${batch.engine.commit})`,
  };
  return (
    <>
      <Group align="flex-end" justify="space-between">
        <Select
          label="Metric"
          w={{ base: '100%', xs: 320 }}
          allowDeselect={false}
          data={names.map((value) => ({ value, label: metricTitle(metricOf(value)) }))}
          value={name}
          onChange={(value) => {
            if (value !== null) onMetric(value);
          }}
        />
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-label="Save the box plots as SVG"
            onClick={() => {
              saveElementSvg(saved, file);
            }}
          >
            SVG
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-label="Save the box plots as PNG"
            onClick={() => {
              saveElementPng(saved, file).catch((error: unknown) => {
                notifyFailure('The figure could not be saved', error);
              });
            }}
          >
            PNG
          </Button>
        </Group>
      </Group>
      <div ref={ref}>
        {width > 0 && (
          <BoxPlot
            {...figure}
            width={width}
            colors={boxColors(theme)}
            onSelect={(dot) => {
              onRepetition(Number(dot.slice(dot.lastIndexOf(' ') + 1)));
            }}
          />
        )}
      </div>
      <Text size="sm" c="dimmed" maw="90ch">
        {metric.definition}{' '}
        {metric.better !== null && `${metric.better === 'lower' ? 'Lower' : 'Higher'} is better. `}
        The line in the box is the median, the box spans the quartiles, the whiskers reach the least and the
        greatest. Each dot is a run: choose one to see its repetition above.
      </Text>
    </>
  );
}

function rowOf(cell: Cell, metric: string, titles: Titles): BoxRow {
  const spread = metric in cell.metrics ? cell.metrics[metric] : null;
  return {
    key: cell.variant,
    name: titles.variant(cell.variant),
    detail: '',
    live: cell.testbed !== 'sim',
    spread,
    without: cell.runs === 0 ? 'no valid run' : 'not measured',
    dots: (spread?.values ?? []).map((value, i) => {
      // Without a list of repetitions every one of them counts.
      const repetition = spread?.repetitions?.at(i) ?? i + 1;
      return { key: `${cell.variant} ${repetition}`, value, repetition };
    }),
    paper: null,
  };
}
