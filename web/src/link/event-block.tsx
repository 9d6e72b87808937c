import type { KeyboardEvent } from 'react';

import type { Palette } from '../paint/palette';
import { describe, DIRECTIONS, KINDS, whenOf } from './kinds';
import { writeDuration } from './quantity';
import type { TimedEvent } from './script';

interface Props {
  readonly event: TimedEvent;
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly palette: Palette;
  readonly selected: boolean;
  readonly wrong: boolean;
  /** Whose it is, if it cannot be changed here. */
  readonly fixedFrom?: string | undefined;
  readonly helpId?: string;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
}

/** Below so many pixels there is no room inside: edges stand beside it, and words in its name alone. */
const NARROW = 36;
/** The same of one without edges. */
const NARROW_FIXED = 28;

/** An event on its lane. Pointers are the lane's affair; keys are told. */
export function EventBlock(props: Props) {
  const { event, left, width, top, palette, selected, wrong, fixedFrom, helpId, onKeyDown } = props;
  const color = palette[KINDS[event.kind].color];
  const look = {
    left,
    width: Math.max(6, width),
    top,
    borderColor: wrong ? 'var(--mantine-color-error)' : color,
    background: `color-mix(in srgb, ${color} 32%, ${palette.background})`,
  };
  const text =
    width < (fixedFrom === undefined ? NARROW : NARROW_FIXED)
      ? ''
      : `${event.value ?? (event.length === null ? '' : writeDuration(event.length))} ${DIRECTIONS[event.on].sign}`;
  if (fixedFrom !== undefined) {
    const name = `${describe(event)}; from ${fixedFrom}, cannot be changed here`;
    return (
      <div className="link-event link-event-fixed" style={look} role="img" aria-label={name} title={name}>
        <span aria-hidden>{text}</span>
      </div>
    );
  }
  return (
    <div
      className="link-event"
      data-event={event.id}
      data-selected={selected || undefined}
      data-narrow={width < NARROW || undefined}
      style={look}
      role="button"
      tabIndex={0}
      aria-label={`${describe(event)}${wrong ? '; not valid' : ''}`}
      aria-pressed={selected}
      aria-describedby={helpId}
      title={`${KINDS[event.kind].label}: ${whenOf(event)}`}
      onKeyDown={onKeyDown}
    >
      <span data-edge="begin" aria-hidden />
      <span className="link-event-text" aria-hidden>
        {text}
      </span>
      <span data-edge="end" aria-hidden />
    </div>
  );
}
