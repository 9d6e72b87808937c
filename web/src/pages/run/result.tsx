import { Anchor, Button, Group, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useCallback, useMemo, useRef } from 'react';

import { api, type Schema } from '../../api/client';
import type { Selected } from '../../diagram/content';
import type { Look } from '../../diagram/options';
import { RunDiagram } from '../../figures/run-diagram';
import type { RunSeries } from '../../figures/use-series';
import { ns } from '../../lib/brand';
import { madeBy } from '../../lib/made-by';
import { Asked } from '../../ui/asked';
import { Later } from '../../ui/later';
import { changed, useSearch } from '../../ui/use-address';
import { useLetters } from '../../ui/use-letters';
import { useView, withView } from '../../ui/use-view';
import { formatInstant, plural } from '../../lib/format';
import { causeInWords } from '../../lib/cause';
import { StepButton } from '../../ui/step-button';
import { Episodes } from './episodes';
import { endOf, type Filter, FILTERS, marksOf, marksWithin, passes, viewOf } from './marks';
import { lookFromText, lookToText } from './look';
import { pinFromText, pinToText } from './pin';

interface Props {
  readonly run: Schema<'RunView'>;
  readonly series: RunSeries;
  readonly variant: string;
  readonly batch: Schema<'BatchView'> | undefined;
}

const NO_EPISODES: readonly Schema<'EpisodeLine'>[] = [];

/** The episodes of a run, those of them that are listed, the chosen one, and what chooses another. */
function useEpisodes(run: Schema<'RunView'>, series: RunSeries) {
  const query = api.useQuery(
    'get',
    '/api/v1/runs/{id}/episodes',
    { params: { path: { id: run.id } } },
    { enabled: !series.isPending },
  );
  const all = query.data?.items ?? NO_EPISODES;
  const [params, setParams] = useSearch();
  const { episode: number, filter } = addressOf(params);
  const overview = series.data?.overview.series ?? null;
  const duration = overview?.duration ?? null;
  const marks = useMemo(() => (overview === null ? [] : marksOf(overview)), [overview]);
  const listed = useMemo(
    () => all.filter((_, i) => passes(filter, marksWithin(marks, all, i))),
    [all, marks, filter],
  );
  const choose = (next: number) => {
    const episode = all.find((one) => one.number === next);
    if (episode === undefined || duration === null) return;
    setParams(
      (old) => withView(changed(old, { episode: String(next), pin: null }), viewOf(episode, duration)),
      { preventScrollReset: true },
    );
  };
  const step = (by: 1 | -1) => {
    const at = listed.findIndex((one) => one.number === number);
    const next = at < 0 ? (by > 0 ? 0 : listed.length - 1) : at + by;
    if (next >= 0 && next < listed.length) choose(listed[next].number);
  };
  useLetters({
    j: () => step(1),
    k: () => step(-1),
  });
  const chosen = all.find((one) => one.number === number) ?? null;
  return { query, all, listed, chosen, filter, marks, duration, choose, step };
}

/** What the address has of the diagram besides its view: the mark that is pinned, and the look. */
function useDrawn() {
  const [params, setParams] = useSearch();
  const pin = params.get('pin');
  const selected = useMemo(() => pinFromText(pin), [pin]);
  const [hide, unit] = [params.get('hide'), params.get('unit')];
  const look = useMemo(() => lookFromText({ hide, unit }), [hide, unit]);
  const set = useCallback(
    (changes: Parameters<typeof changed>[1]) =>
      setParams((old) => changed(old, changes), { replace: true, preventScrollReset: true }),
    [setParams],
  );
  const onSelect = useCallback(
    (next: Selected | null) => set({ pin: next === null ? null : pinToText(next) }),
    [set],
  );
  const onLook = useCallback((next: Look) => set({ ...lookToText(next) }), [set]);
  return { selected, onSelect, look, onLook };
}

/** The diagram of a run, and the episodes that it can be zoomed to. */
export function Result({ run, series, variant, batch }: Props) {
  const theme = useComputedColorScheme('light');
  const { query, all, listed, chosen, filter, marks, choose, step } = useEpisodes(run, series);
  const drawn = useDrawn();
  const [, setParams] = useSearch();
  const [view, setView] = useView();
  const figure = useRef<HTMLElement>(null);
  return (
    <Stack gap="lg">
      <section aria-label="Time-sequence diagram" ref={figure} className="figure">
        {series.data && (
          <EpisodeBar
            episodes={listed}
            chosen={chosen}
            onStep={step}
            onLeave={() => {
              setParams((old) => withView(changed(old, { episode: null, pin: null }), null), {
                preventScrollReset: true,
              });
            }}
          />
        )}
        <Asked query={series} failed="The diagram could not be read" what="the diagram" rows={12}>
          {(source) => (
            <RunDiagram
              source={source}
              theme={theme}
              title={`${run.variant} on ${run.link}, repetition ${run.repetition}`}
              provenance={provenanceOf(run, batch)}
              view={view}
              onView={setView}
              {...drawn}
              highlight={
                chosen === null
                  ? null
                  : { from: ns(chosen.onset_ns), to: endOf(chosen, source.overview.series.duration) }
              }
            />
          )}
        </Asked>
      </section>
      <Asked
        query={{ ...query, data: series.isPending ? undefined : query.data }}
        failed="The episodes could not be read"
        what="the episodes"
      >
        {() => (
          <Later>
            <Episodes
              run={run}
              variant={variant}
              episodes={all}
              marks={marks}
              chosen={chosen}
              filter={filter}
              listed={listed}
              onChoose={(number) => {
                choose(number);
                show(figure.current);
              }}
              onLook={(next) => {
                show(figure.current);
                setParams((old) => withView(old, next), { preventScrollReset: true });
              }}
              onFilter={(next) => {
                setParams((old) => changed(old, { show: next === 'all' ? null : next }), {
                  replace: true,
                  preventScrollReset: true,
                });
              }}
            />
          </Later>
        )}
      </Asked>
    </Stack>
  );
}

/** Brings the diagram into view where most of it is out of it: what was chosen is shown there. */
function show(figure: HTMLElement | null): void {
  const place = figure?.getBoundingClientRect();
  if (place === undefined) return;
  const seen = Math.min(place.bottom, window.innerHeight) - Math.max(place.top, 0);
  if (seen < 0.5 * Math.min(place.height, window.innerHeight)) figure?.scrollIntoView({ block: 'start' });
}

function provenanceOf(run: Schema<'RunView'>, batch: Schema<'BatchView'> | undefined): string {
  const engine = batch === undefined ? '' : `${madeBy(batch.engine)}, `;
  return `${engine}experiment ${run.experiment}, ${run.variant} on ${run.link}, testbed ${run.testbed}, repetition ${run.repetition}, seed ${run.seed}`;
}

/** What the address of a run says beside the view of its diagram. */
interface RunAddress {
  /** The number of the episode that is told. */
  readonly episode: number | null;
  readonly filter: Filter;
}

function addressOf(params: URLSearchParams): RunAddress {
  const episode = Number(params.get('episode'));
  return {
    episode: Number.isInteger(episode) && episode > 0 ? episode : null,
    filter: FILTERS.find((filter) => filter === params.get('show')) ?? 'all',
  };
}

interface EpisodeBarProps {
  /** Those that are listed. */
  readonly episodes: readonly Schema<'EpisodeLine'>[];
  readonly chosen: Schema<'EpisodeLine'> | null;
  readonly onStep: (by: 1 | -1) => void;
  /** Shows the whole run again. */
  readonly onLeave: () => void;
}

/** Steps through the episodes while one looks at the diagram; the list with the stories stands below it. */
function EpisodeBar({ episodes, chosen, onStep, onLeave }: EpisodeBarProps) {
  if (episodes.length === 0) return null;
  const at = episodes.findIndex(({ number }) => number === chosen?.number);
  return (
    <Group gap="xs" wrap="nowrap" mb="xs" role="group" aria-label="Step through the episodes">
      <StepButton by={-1} of="episode" size={30} disabled={at === 0} onStep={onStep} />
      <StepButton by={1} of="episode" size={30} disabled={at === episodes.length - 1} onStep={onStep} />
      <Text size="sm" lineClamp={2} style={{ flex: 1 }} aria-live="polite">
        {chosen === null ? (
          `${plural(episodes.length, 'episode')}: step through them, or choose one below.`
        ) : (
          <>
            <b>
              {chosen.number}. {causeInWords(chosen.cause)} at {formatInstant(chosen.onset_ns)}.
            </b>{' '}
            {chosen.headline}
          </>
        )}
      </Text>
      {chosen !== null && (
        <>
          <Anchor
            component="button"
            type="button"
            size="sm"
            style={{ whiteSpace: 'nowrap' }}
            onClick={() => document.getElementById('story')?.scrollIntoView()}
          >
            Its story
          </Anchor>
          <Button size="xs" onClick={onLeave}>
            All
          </Button>
        </>
      )}
    </Group>
  );
}
