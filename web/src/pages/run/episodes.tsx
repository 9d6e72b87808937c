import { Grid, Group, SegmentedControl } from '@mantine/core';
import { useEffect, useRef } from 'react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import type { Viewport } from '../../lib/viewport';
import { Empty } from '../../ui/asked';
import { Keys } from '../../ui/keys';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { EpisodeRow } from './episode-row';
import { FILTERS, marksWithin, type Filter, type Mark } from './marks';
import { Story } from './story';

type Line = Schema<'EpisodeLine'>;

interface Props {
  readonly run: Schema<'RunView'>;
  readonly variant: string;
  readonly episodes: readonly Line[];
  /** Those that the filter lets through. */
  readonly listed: readonly Line[];
  readonly marks: readonly Mark[];
  readonly chosen: Line | null;
  readonly filter: Filter;
  readonly onChoose: (number: number) => void;
  readonly onLook: (view: Viewport) => void;
  readonly onFilter: (filter: Filter) => void;
}

const FILTER_WORDS: Readonly<Record<Filter, string>> = {
  all: 'All',
  spurious: 'Spurious',
  wrong: 'Detector wrong',
};

/** The troubles of a run, each with its verdicts; the chosen one is told in words and framed in the diagram. */
export function Episodes(props: Props) {
  const { run, variant, episodes, listed, marks, chosen, filter, onChoose, onLook, onFilter } = props;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const row = list.current?.querySelector('[aria-current]');
    if (row && list.current) keepInView(list.current, row);
  }, [chosen?.number]);
  return (
    <Section
      title={plural(episodes.length, 'episode')}
      beside={
        <Group gap="xs">
          {episodes.length > 0 && (
            <SegmentedControl
              size="xs"
              aria-label="Which episodes are listed"
              value={filter}
              data={FILTERS.map((value) => ({ value, label: FILTER_WORDS[value] }))}
              onChange={onFilter}
            />
          )}
          <Keys
            keys={[
              ['j', 'next episode'],
              ['k', 'previous episode'],
              ['Shift J', 'next repetition'],
              ['Shift K', 'previous repetition'],
              ['← → ↑ ↓', 'in the diagram: move'],
              ['+ −', 'in the diagram: zoom'],
              ['0', 'in the diagram: all of it'],
              ['n p', 'in the diagram: next, previous segment'],
              ['t T', 'in the diagram: next, previous timeout'],
              ['r R', 'in the diagram: next, previous retransmission'],
            ]}
          />
        </Group>
      }
    >
      {episodes.length === 0 && (
        <Empty title="No trouble at all">
          {variant} met no loss, no long hold and no timeout in this run, and sent nothing twice.
        </Empty>
      )}
      {episodes.length > 0 && (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 5 }}>
            {listed.length === 0 ? (
              <Muted>
                {filter === 'wrong'
                  ? 'In no episode did a detector give a wrong answer.'
                  : 'No episode has a spurious timeout or fast retransmit.'}
              </Muted>
            ) : (
              <ol ref={list} className="episodes" tabIndex={0} aria-label="Episodes">
                {listed.map((episode) => (
                  <EpisodeRow
                    key={episode.number}
                    episode={episode}
                    marks={marksWithin(marks, episodes, episodes.indexOf(episode))}
                    current={episode.number === chosen?.number}
                    onChoose={onChoose}
                  />
                ))}
              </ol>
            )}
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            {chosen === null ? (
              <Muted>
                An episode lasts from the onset of a trouble to the recovery from it. Choose one: the diagram
                shows it, and its story appears here.
              </Muted>
            ) : (
              <Story run={run} number={chosen.number} onLook={onLook} />
            )}
          </Grid.Col>
        </Grid>
      )}
    </Section>
  );
}

/** Scrolls the list alone, and not the page with the diagram that the reader looks at. */
function keepInView(list: HTMLElement, row: Element): void {
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}
