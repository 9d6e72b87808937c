import { Button, Group, Select, Text } from '@mantine/core';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';

import type { Schema } from '../../api/client';
import { boxDomain } from '../../figures/box-axis';
import { boxColors } from '../../figures/box-colors';
import { BoxPlot } from '../../figures/box-plot';
import { saveElementPng, saveElementSvg } from '../../figures/save-element';
import { formatMetric, metricOf, metricTitle } from '../../lib/metrics';
import { to } from '../../ui/links';
import { notifyFailure } from '../../ui/notify';
import { Section } from '../../ui/section';
import { useAddress } from '../../ui/use-address';
import { boxRows } from './box-rows';
import { metricsOf } from './summary';
import type { TitledCell } from './titled';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly cells: readonly TitledCell[];
  readonly runs: readonly Schema<'RunLine'>[] | null;
}

const FIRST = 'elapsed_s';
/** CSS pixels that a saved figure is wide, whatever window it is saved from. */
const SAVED_WIDTH = 900;

/** Box plots of one metric, `metric` in the address. */
export function Distributions({ batch, cells, runs }: Props) {
  const { params, change } = useAddress();
  const { ref, width } = useElementSize();
  const theme = useComputedColorScheme('light');
  const navigate = useNavigate();
  const names = metricsOf(cells, true);
  const asked = params.get('metric');
  const name = [asked, FIRST].find((one) => one !== null && names.includes(one)) ?? names.at(0);
  const rows = useMemo(() => (name === undefined ? [] : boxRows(cells, name, runs)), [cells, name, runs]);
  if (name === undefined) return null;
  const metric = metricOf(name);
  const figure = {
    rows,
    title: metricTitle(metric),
    say: (value: number) => formatMetric(value, metric),
    domain: boxDomain(rows.flatMap(({ spread }) => (spread ? [spread.min, spread.max] : []))),
    axisTitle: true,
  };
  const saved = <BoxPlot {...figure} width={SAVED_WIDTH} colors={boxColors('light')} />;
  const file = {
    name: `batch-${batch.id}-${name}`,
    provenance: `${figure.title}, batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; Windlull engine ${batch.engine.version} (commit ${batch.engine.commit})`,
  };
  return (
    <Section title="Distributions">
      <Group align="flex-end" justify="space-between">
        <Select
          label="Metric"
          w={{ base: '100%', xs: 320 }}
          allowDeselect={false}
          data={names.map((value) => ({ value, label: metricTitle(metricOf(value)) }))}
          value={name}
          onChange={(value) => {
            change({ metric: value === FIRST ? null : value }, 'push');
          }}
        />
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
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
            onSelect={(run) => void navigate(to.run(Number(run)))}
          />
        )}
      </div>
      <Text size="sm" c="dimmed" maw="80ch">
        {metric.definition} The line in the box is the median, the box spans the quartiles, the whiskers reach
        the least and the greatest. Each dot is a run: choose one to open it. The table above has the same
        numbers.
      </Text>
    </Section>
  );
}
