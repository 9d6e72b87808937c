import { useMemo, useRef, useState } from 'react';

import { madeBy } from '../../lib/made-by';
import type { Viewport } from '../../lib/viewport';
import type { Theme } from '../../diagram/options';
import type { Linked } from '../../figures/linked';
import { OverlayDiagram } from '../../figures/overlay-diagram';
import { useWidth } from '../../figures/use-width';
import { Choice } from '../../results/choice';
import { extentAbout, KEYS, namesOf, partingAt, type PartingPage, viewOf, WHERE } from '../../series/parting';
import type { SeriesSource } from '../../series/source';
import { Diagram } from '../diagram';
import type { RunStore } from '../runs';
import { useRuns } from '../use-run';

const WAYS = [
  ['stacked', 'one below the other'],
  ['beside', 'side by side'],
  ['overlaid', 'overlaid'],
] as const;

interface Props {
  readonly page: PartingPage;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** Both runs about the instant at which they part. */
export function Diagrams({ page, store, theme }: Props) {
  const { parting } = page.difference;
  const loaded = useRuns(store, KEYS.join('\n'));
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [way, setWay] = useState<string>('stacked');
  const at = partingAt(page);
  const [view, setView] = useState<Viewport | null>(() => viewOf(page));
  const [linked] = useState(() => new Set<Linked>());
  const sources = useMemo(
    () => loaded?.flatMap((one) => ('run' in one ? [one.run] : [])) ?? ([] as readonly SeriesSource[]),
    [loaded],
  );
  const errors = loaded?.flatMap((one) => ('error' in one ? [one.error] : [])) ?? [];
  const names = namesOf(page);
  const joined = names.join('\n');
  const traces = useMemo(
    () => sources.map((source, i) => ({ source, label: joined.split('\n')[i], origin: at })),
    [sources, joined, at],
  );
  const origin = parting === null ? null : { t: at, label: WHERE };
  const extent = useMemo(() => extentAbout(sources, at), [sources, at]);
  const made = madeBy(page.engine);
  return (
    <section id="diagrams">
      <h2>{parting === null ? 'Both runs' : 'Both about that instant'}</h2>
      <div className="options">
        <Choice label="diagrams" value={way} of={WAYS} onChange={setWay} />
        <span>The time axes are linked.</span>
      </div>
      {errors.map((error) => (
        <p key={error} className="error" role="alert">
          {error}
        </p>
      ))}
      <div ref={frame} className={way === 'beside' ? 'runs beside' : 'runs stacked'}>
        {loaded === null ? (
          <p className="loading">Inflating the runs’ data …</p>
        ) : sources.length < 2 ? null : way === 'overlaid' ? (
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
        ) : (
          sources.map((source, i) => (
            <article key={names[i]} className="run">
              <header className="run-head">
                <h3>
                  {KEYS[i].toUpperCase()} <span>{page.titles[i]}</span>
                </h3>
              </header>
              <Diagram
                source={source}
                alongside={sources}
                theme={theme}
                density="compact"
                origin={origin}
                highlight={parting === null ? null : { from: at, to: at }}
                extent={extent}
                title={names[i]}
                provenance={`${made}; ${page.titles[i]}`}
                view={view}
                onView={setView}
                linked={linked}
                width={width}
              />
            </article>
          ))
        )}
      </div>
      <p className="caption">
        <b>Time-sequence diagrams.</b> Each segment is a bar over its octets at the time it was sent;
        retransmissions are judged by what the link did to the earlier copies.
      </p>
    </section>
  );
}
