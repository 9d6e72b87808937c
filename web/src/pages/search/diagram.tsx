import { Text, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';

import { RunDiagram } from '../../figures/run-diagram';
import { useSeries } from '../../figures/use-series';
import type { Viewport } from '../../lib/viewport';
import { Asked } from '../../ui/asked';

interface Props {
  /** Where its series is. */
  readonly address: string;
  readonly variant: string;
  readonly title: string;
}

/** What a variant did on a link of a search. */
export function Diagram({ address, variant, title }: Props) {
  const theme = useComputedColorScheme('light');
  const series = useSeries(address);
  const [view, setView] = useState<Viewport | null>(null);
  return (
    <article aria-label={variant}>
      <Text fw={600} mb={4}>
        {variant}
      </Text>
      <Asked query={series} failed="The diagram could not be read" what="the diagram" rows={10}>
        {(source) => (
          <RunDiagram
            source={source}
            theme={theme}
            density="compact"
            title={title}
            provenance={title}
            view={view}
            onView={setView}
          />
        )}
      </Asked>
    </article>
  );
}
