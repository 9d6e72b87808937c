import { Stack, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';

import type { Schema } from '../../api/client';
import { RunDiagram } from '../../figures/run-diagram';
import { useSeries } from '../../figures/use-series';
import { ns } from '../../lib/brand';
import type { Viewport } from '../../lib/viewport';
import { Bullets, Muted } from '../../ui/text';
import { Asked } from '../../ui/asked';
import { KeyMetrics } from '../key-metrics';
import { ConnectionEpisodes } from './episodes';
import { endsOf } from './list';
import './connections.css';

interface Props {
  /** What the connection shows. */
  readonly analysis: Schema<'ConnectionAnalysisView'>;
  /** Where its series is. */
  readonly series: string;
  /** Where it comes from, for exported figures. */
  readonly provenance: string;
}

/** One TCP connection of captures: its diagram, metrics and episodes. */
export function ConnectionView({ analysis, series: address, provenance }: Props) {
  const theme = useComputedColorScheme('light');
  const series = useSeries(address);
  const [view, setView] = useState<Viewport | null>(null);
  const [number, setNumber] = useState<number | null>(null);
  const { episodes, notes, metrics, connection } = analysis;
  const chosen = episodes.find((episode) => episode.number === number) ?? null;
  const duration = series.data?.overview.series.duration ?? null;
  const choose = (next: number) => {
    const episode = episodes.find((one) => one.number === next);
    if (episode === undefined || next === number) {
      setNumber(null);
      setView(null);
      return;
    }
    setNumber(next);
    const end = episode.recovered_ns ?? duration ?? episode.onset_ns;
    const margin = Math.max(0.2 * (end - episode.onset_ns), 1e8);
    setView({ t0: ns(Math.max(0, episode.onset_ns - margin)), t1: ns(end + margin), y: null });
  };
  return (
    <Stack gap="md">
      <section aria-label="Time-sequence diagram">
        <Asked query={series} failed="The diagram could not be read" what="the diagram" rows={12}>
          {(source) => (
            <RunDiagram
              source={source}
              theme={theme}
              title={endsOf(connection)}
              provenance={provenance}
              view={view}
              onView={setView}
              highlight={
                chosen === null
                  ? null
                  : { from: ns(chosen.onset_ns), to: ns(chosen.recovered_ns ?? duration ?? chosen.onset_ns) }
              }
            />
          )}
        </Asked>
      </section>
      <KeyMetrics metrics={metrics} />
      {notes.length > 0 && (
        <section aria-label="Notes">
          <Muted>Notes:</Muted>
          <Bullets of={notes} spacing={2} />
        </section>
      )}
      <ConnectionEpisodes episodes={episodes} chosen={chosen} onChoose={choose} />
    </Stack>
  );
}
