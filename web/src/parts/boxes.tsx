import { Button, Group, Select, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';

import { boxDomain } from '../figures/box-axis';
import { boxColors } from '../figures/box-colors';
import { BoxPlot, type BoxRow } from '../figures/box-plot';
import { saveElementPng, saveElementSvg } from '../figures/save-element';
import { formatMetric, metricOf, metricTitle } from '../lib/metrics';
import { notifyFailure } from '../ui/notify';

interface Props {
  /** The metrics to choose among, and the chosen one. */
  readonly names: readonly string[];
  readonly name: string;
  readonly onMetric: (name: string) => void;
  readonly rows: readonly BoxRow[];
  /** What a saved figure is of: a word for the file's name, and all that its provenance tells. */
  readonly of: { readonly file: string; readonly provenance: string };
  /** What happens to a dot that is chosen, by its key and in words: `open it`. */
  readonly onDot: (key: string) => void;
  readonly dotInWords: string;
}

/** CSS pixels that a saved figure is wide, whatever window it is saved from. */
const SAVED_WIDTH = 900;

/** Box plots of one metric on one axis, to choose the metric of, and to save. */
export function Boxes({ names, name, onMetric, rows, of, onDot, dotInWords }: Props) {
  const { ref, width } = useElementSize();
  const theme = useComputedColorScheme('light');
  const metric = metricOf(name);
  const figure = {
    rows,
    title: metricTitle(metric),
    say: (value: number) => formatMetric(value, metric),
    domain: boxDomain(rows.flatMap(({ spread }) => (spread ? [spread.min, spread.max] : []))),
    axisTitle: true,
  };
  const saved = <BoxPlot {...figure} width={SAVED_WIDTH} colors={boxColors('light')} />;
  const file = { name: `${of.file}-${name}`, provenance: `${figure.title}, ${of.provenance}` };
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
          <Save
            as="SVG"
            onSave={() => {
              saveElementSvg(saved, file);
            }}
          />
          <Save
            as="PNG"
            onSave={() => {
              saveElementPng(saved, file).catch((error: unknown) => {
                notifyFailure('The figure could not be saved', error);
              });
            }}
          />
        </Group>
      </Group>
      <div ref={ref}>
        {width > 0 && <BoxPlot {...figure} width={width} colors={boxColors(theme)} onSelect={onDot} />}
      </div>
      <Text size="sm" c="dimmed" maw="90ch">
        {metric.definition}{' '}
        {metric.better !== null && `${metric.better === 'lower' ? 'Lower' : 'Higher'} is better. `}
        The line in the box is the median, the box spans the quartiles, the whiskers reach the least and the
        greatest. Each dot is a run: choose one to {dotInWords}.
      </Text>
    </>
  );
}

function Save({ as, onSave }: { readonly as: 'SVG' | 'PNG'; readonly onSave: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} aria-hidden />}
      aria-label={`Save the box plots as ${as}`}
      onClick={onSave}
    >
      {as}
    </Button>
  );
}
