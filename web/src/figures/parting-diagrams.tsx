import { useMemo, useState } from 'react';

import type { Theme } from '../diagram/options';
import { madeBy } from '../lib/made-by';
import type { Viewport } from '../lib/viewport';
import { extentAbout, namesOf, partingAt, type PartingPage, viewOf, WHERE } from '../series/parting';
import type { SeriesSource } from '../series/source';
import type { Linked } from './linked';
import { OverlayDiagram } from './overlay-diagram';
import { RunDiagram } from './run-diagram';

interface Props {
  readonly page: PartingPage;
  /** Of both runs; keep the array the same while they are. */
  readonly sources: readonly SeriesSource[];
  readonly overlaid: boolean;
  readonly theme: Theme;
}

/** Two runs about the instant at which they part, one below the other with their time axes linked, or overlaid. */
export function PartingDiagrams({ page, sources, overlaid, theme }: Props) {
  const { parting } = page.difference;
  const at = partingAt(page);
  const [view, setView] = useState<Viewport | null>(() => viewOf(page));
  const [linked] = useState(() => new Set<Linked>());
  const names = namesOf(page);
  const joined = names.join('\n');
  const traces = useMemo(
    () => sources.map((source, i) => ({ source, label: joined.split('\n')[i], origin: at })),
    [sources, joined, at],
  );
  const extent = useMemo(() => extentAbout(sources, at), [sources, at]);
  const made = madeBy(page.engine);
  if (overlaid)
    return (
      <OverlayDiagram
        traces={traces}
        originLabel={parting === null ? null : WHERE}
        extent={extent}
        theme={theme}
        title={names.join(' and ')}
        provenance={`${made}; ${page.titles.join('; ')}`}
        view={view}
        onView={setView}
      />
    );
  return sources.map((source, i) => (
    <article key={names[i]} aria-label={names[i]}>
      <p className="run-name">
        <b>{names[i]}</b> {page.titles[i]}
      </p>
      <RunDiagram
        source={source}
        alongside={sources}
        theme={theme}
        density="compact"
        origin={parting === null ? null : { t: at, label: WHERE }}
        highlight={parting === null ? null : { from: at, to: at }}
        extent={extent}
        title={names[i]}
        provenance={`${made}; ${page.titles[i]}`}
        view={view}
        onView={setView}
        linked={linked}
      />
    </article>
  ));
}
