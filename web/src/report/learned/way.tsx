import { useRef } from 'react';

import type { Direction } from '../../contract/types';
import { useWidth } from '../../figures/use-width';
import { groupThousands, plural } from '../../lib/format';
import type { Learned, LearnedWay } from '../../series/learned';
import { Legend, LinePlot, type Band, type Line } from '../reproduction/line-plot';
import { distributionLines, lossLines, rateLines, rateUnit, shownUntil, transitLines } from './lines';

interface Props {
  readonly learned: Learned;
  readonly name: Direction;
  readonly way: LearnedWay;
}

/** What was learned of a direction over what was captured of it: rate, transit times, their distribution, losses. */
export function Way({ learned, name, way }: Props) {
  const { window_s: windowSeconds, length_s: lengthSeconds, played } = learned;
  const bands = bandsOf(way);
  const unit = rateUnit(way);
  const until = shownUntil(way);
  const losses = lossLines(way, windowSeconds);
  const acks = name === learned.data ? '' : ' Most are acknowledgements.';
  return (
    <section id={name}>
      <h2>{name === 'down' ? 'Down, to the client' : 'Up, to the server'}</h2>
      <p className="about">
        {plural(way.packets, 'packet')}, {groupThousands(way.lost)} lost.{acks}
      </p>
      <Figure
        title="Rate"
        lines={rateLines(way, windowSeconds, unit)}
        bands={bands}
        across={TIME}
        up={unit.name}
      >
        <b>Rate.</b> What arrived in each {windowSeconds} s
        {way.rate === null
          ? '. Nothing waited, so that the link’s rate does not show.'
          : ', and the learned rate of the link: what arrives is less where too little was sent.'}
      </Figure>
      <Figure
        title="Transit times"
        lines={transitLines(way, lengthSeconds)}
        bands={bands}
        across={TIME}
        up="ms"
      >
        <b>Transit times.</b> How long packets took, by when they were sent; thinned, with all extremes.
        {way.full !== null &&
          ' Beyond what a packet takes with a full queue are those that holds kept, or a slower bottleneck.'}
      </Figure>
      <Figure
        title="Distribution of transit times"
        lines={distributionLines(way, played, until)}
        bands={[]}
        across="Transit time (ms)"
        up="% of packets that took no longer"
      >
        <b>Distribution of transit times.</b> Captured, and between what the learned delay alone makes and
        what a full queue adds
        {played === null ? '' : `; and of one transfer of the same size by ${played} over the learned link`}.
        {until < Infinity && ` Not shown: the few above ${Math.round(until)} ms.`}
      </Figure>
      {losses.length === 0 ? (
        <p className="none">No packet was lost.</p>
      ) : (
        <Figure
          title="Losses"
          lines={losses}
          bands={bands}
          across={TIME}
          up={`packets in ${windowSeconds} s`}
        >
          <b>Losses</b> in each {windowSeconds} s, by what they were taken for.
        </Figure>
      )}
    </section>
  );
}

interface FigureProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly bands: readonly Band[];
  readonly across: string;
  readonly up: string;
  readonly children: React.ReactNode;
}

function Figure({ title, lines, bands, across, up, children }: FigureProps) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const kinds = [...new Set(bands.map(({ kind }) => kind))];
  return (
    <figure ref={frame} className="repeated trace">
      <h3>{title}</h3>
      <Legend lines={lines} bands={kinds} />
      {width > 0 && <LinePlot {...{ lines, bands, across, up, width }} />}
      <figcaption>{children}</figcaption>
    </figure>
  );
}

/** When nothing came through, or nothing survived. */
function bandsOf({ spells }: LearnedWay): readonly Band[] {
  return spells.map(({ kind, from_s: from, until_s: until }) => ({ kind, from, until }));
}

const TIME = 'Time (s)';
