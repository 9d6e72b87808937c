import type { KeyboardEvent, PointerEvent } from 'react';

import type { Ns } from '../lib/brand';
import type { LinearScale } from '../lib/scale';
import type { Palette } from '../paint/palette';
import { EventBlock } from './event-block';
import { KINDS } from './kinds';
import { shownUntil, type Lane } from './lanes';
import { GUTTER, RIGHT } from './preview-figure';
import type { ScriptEvent, TimedEvent } from './script';

const ROW = 34;

interface Props {
  readonly lane: Lane;
  readonly all: readonly ScriptEvent[];
  /** Events of the link that this one builds on. */
  readonly fixed: ReadonlySet<ScriptEvent>;
  readonly fixedFrom: string;
  readonly times: LinearScale<Ns>;
  readonly marks: readonly number[];
  readonly palette: Palette;
  readonly selected: number | null;
  readonly wrong: ReadonlyMap<number, string>;
  /** What is being drawn on this lane. */
  readonly drawn: TimedEvent | null;
  readonly helpId: string;
  readonly onPointer: (event: PointerEvent<HTMLElement>) => void;
  readonly onKeyDown: (event: TimedEvent, pressed: KeyboardEvent<HTMLElement>) => void;
}

/** One kind of event along the time axis. */
export function LaneView(props: Props) {
  const { lane, all, fixed, fixedFrom, times, marks, palette, selected, wrong, drawn } = props;
  const { label } = KINDS[lane.kind];
  const place = (event: TimedEvent) => {
    const until = Math.min(shownUntil(event, all), times.d1 + (times.d1 - times.d0) * 0.05);
    return { left: times.toPx(event.at) - GUTTER, width: times.toPx(until as Ns) - times.toPx(event.at) };
  };
  return (
    <div className="link-lane" role="group" aria-label={label} style={{ height: lane.rows.length * ROW }}>
      <div className="link-lane-label" style={{ width: GUTTER }} aria-hidden>
        {label}
      </div>
      <div
        className="link-lane-area"
        data-lane={lane.kind}
        style={{ left: GUTTER, right: RIGHT, background: palette.lane }}
        onPointerDown={props.onPointer}
      >
        <svg className="link-grid" width="100%" height="100%" aria-hidden>
          {marks.map((mark) => {
            const x = Math.round(times.toPx(mark as Ns) - GUTTER) + 0.5;
            return <line key={mark} x1={x} x2={x} y1={0} y2="100%" stroke={palette.grid} />;
          })}
        </svg>
        {lane.rows.map((row, i) =>
          row.map((event) => (
            <EventBlock
              key={fixed.has(event) ? `fixed ${event.id}` : event.id}
              event={event}
              {...place(event)}
              top={i * ROW + 3}
              palette={palette}
              selected={!fixed.has(event) && selected === event.id}
              wrong={!fixed.has(event) && wrong.has(event.id)}
              fixedFrom={fixed.has(event) ? fixedFrom : undefined}
              helpId={props.helpId}
              onKeyDown={(pressed) => props.onKeyDown(event, pressed)}
            />
          )),
        )}
        {drawn && (
          <div
            className="link-event link-event-drawn"
            aria-hidden
            style={{
              ...place(drawn),
              top: 3,
              borderColor: palette[KINDS[drawn.kind].color],
              background: `color-mix(in srgb, ${palette[KINDS[drawn.kind].color]} 32%, ${palette.background})`,
            }}
          />
        )}
      </div>
    </div>
  );
}
