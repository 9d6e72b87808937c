import './link.css';

import { Alert, Box, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import type { Ns } from '../lib/brand';
import { timeTicks } from '../lib/ticks';
import { clashes } from './check';
import { nudged } from './drag';
import { created, snap, snapStep, withEvent, without } from './edit';
import { EventForm } from './event-form';
import { describe, KINDS, USUAL_LANES, whenOf } from './kinds';
import { lanesOf } from './lanes';
import { LaneView } from './lane-view';
import { marksFor, timeScale } from './preview-figure';
import { usePalette } from './preview';
import { EVENT_KINDS, isTimed, type ScriptEvent, type TimedEvent } from './script';
import { TimeAxis } from './time-axis';
import { TimelineTools } from './timeline-tools';
import { Untimed } from './untimed';
import { useHistory } from './use-history';
import { useTimelinePointer } from './use-pointer';
import type { TimeWindow } from './window';

interface Props {
  readonly events: readonly ScriptEvent[];
  readonly onChange: (events: readonly ScriptEvent[]) => void;
  /** Events that come with the link that this one builds on, and its name. */
  readonly fixed?: readonly ScriptEvent[] | undefined;
  readonly fixedFrom?: string | undefined;
  /** What is wrong with events, by id, as the engine says. */
  readonly problems?: ReadonlyMap<number, string> | undefined;
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
  /** How long the transfer takes at least; null where that is not known. */
  readonly least?: Ns | null;
  /** What stands right under the lanes, on the same axis. */
  readonly children?: ReactNode;
}

const NONE: readonly ScriptEvent[] = [];
const OTHERS = EVENT_KINDS.filter(
  (kind) => !USUAL_LANES.includes(kind) && KINDS[kind].begins !== 'at packets',
);

const fixedWords = (from: string) => `Dashed events belong to ${from}; change them there.`;

/** What happens on a link, along the time of a run: drawn, moved and resized by hand, by keys, or in numbers. */
export function Timeline({
  events,
  onChange,
  fixed = NONE,
  fixedFrom = '',
  problems,
  window,
  onWindow,
  least = null,
  children,
}: Props) {
  const palette = usePalette();
  const { ref, width } = useElementSize();
  const root = useRef<HTMLDivElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const helpId = useId();
  const edits = useHistory(events, onChange);
  const [selected, setSelected] = useState<number | null>(null);
  const [fresh, setFresh] = useState<ScriptEvent | null>(null);
  const [focusForm, setFocusForm] = useState(false);
  const [allLanes, setAllLanes] = useState(false);
  const [said, setSaid] = useState('');
  /** Whether someone tried to take what is not to be changed here. */
  const [took, setTook] = useState(false);

  const times = timeScale(window, width);
  const step = snapStep((window.to - window.from) / Math.max(1, times.r1 - times.r0));
  const marks = useMemo(
    () => timeTicks(window.from, window.to, marksFor(width)).marks.map(({ value }) => value),
    [window, width],
  );
  const wrong = useMemo(() => {
    const found = new Map(problems);
    for (const [id, other] of clashes(events))
      found.set(id, `Another event does the same at the same time (${describe(other)}). Move one of them.`);
    return found;
  }, [problems, events]);
  const select = (id: number | null, intoForm = false) => {
    setFresh(null);
    setSelected(id);
    setFocusForm(intoForm);
  };
  const focusEvent = (id?: number) => {
    requestAnimationFrame(() => {
      const block =
        id === undefined ? null : root.current?.querySelector<HTMLElement>(`[data-event="${id}"]`);
      (block ?? add.current)?.focus();
    });
  };
  const pointer = useTimelinePointer({
    root,
    times,
    step,
    events,
    onDone: (event) => {
      edits.change(withEvent(events, event));
      select(event.id);
      // What was drawn is there only from now on; its keys are to work at once.
      focusEvent(event.id);
    },
    onSelect: select,
    onFixed: () => {
      setSaid(fixedWords(fixedFrom));
      setTook(true);
    },
    window,
    onWindow,
  });
  const { drag, shape } = pointer;
  const drawn = drag?.doing === 'draw' ? shape : null;
  const seen = drag && drag.doing !== 'draw' && shape ? withEvent(events, shape) : events;
  const all = [...fixed, ...seen];
  const fixedSet = new Set(fixed);
  const current = fresh ?? seen.find(({ id }) => id === selected) ?? null;

  const remove = (id: number) => {
    const timed = events.filter(isTimed);
    const place = timed.findIndex((event) => event.id === id);
    edits.change(without(events, id));
    select(null);
    setSaid('Deleted.');
    focusEvent((timed.at(place + 1) ?? timed.at(place - 1))?.id);
  };
  const onEventKey = (event: TimedEvent, pressed: KeyboardEvent<HTMLElement>) => {
    const next = nudged(event, pressed, step);
    if (next) {
      edits.change(withEvent(events, next));
      setSelected(event.id);
      setFresh(null);
      setSaid(whenOf(next));
    } else if (pressed.key === 'Delete' || pressed.key === 'Backspace') remove(event.id);
    else if (pressed.key === 'Enter' || pressed.key === ' ') select(event.id, pressed.key === 'Enter');
    else return;
    pressed.preventDefault();
  };
  const onKey = (pressed: KeyboardEvent<HTMLElement>) => {
    if (pressed.target instanceof HTMLInputElement || !(pressed.ctrlKey || pressed.metaKey)) return;
    const key = pressed.key.toLowerCase();
    const go =
      key === 'y' || (key === 'z' && pressed.shiftKey) ? edits.redo : key === 'z' ? edits.undo : null;
    if (go === null) return;
    pressed.preventDefault();
    go();
    // The event that had the focus may be gone, and the keys with it.
    focusEvent(selected ?? undefined);
  };

  return (
    <Stack gap="xs" onKeyDown={onKey} role="group" aria-label="Timeline">
      <Group justify="space-between" gap="xs">
        <Button
          ref={add}
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => {
            setSelected(null);
            setFresh(created('hold', snap(window.from + (window.to - window.from) / 6, step), null, events));
            setFocusForm(true);
          }}
        >
          Add event
        </Button>
        <TimelineTools
          undo={edits.undo}
          redo={edits.redo}
          window={window}
          onWindow={onWindow}
          events={all}
          allLanes={allLanes}
          onAllLanes={setAllLanes}
        />
      </Group>
      <Text size="xs" c="dimmed" id={helpId}>
        Drag along a lane to draw. Drag an event to move it, its edges to resize it. By keys: arrows move,
        Shift and arrows resize, Ctrl makes steps smaller, Enter edits the numbers, Delete deletes.
      </Text>
      {fixed.some(isTimed) && (
        <Text size="xs" c={took ? 'var(--mantine-color-text)' : 'dimmed'} fw={took ? 600 : 400}>
          {fixedWords(fixedFrom)}
        </Text>
      )}
      <Box ref={root} className="link-timeline" {...pointer.handlers}>
        <Box ref={ref} h={0} />
        {shape && (
          <div className="link-drag-label" aria-hidden>
            {describe(shape)}
          </div>
        )}
        <TimeAxis times={times} width={width} palette={palette} least={least} onPan={pointer.onPan} />
        {width > 0 &&
          lanesOf(all, allLanes ? OTHERS : []).map((lane) => (
            <LaneView
              key={lane.kind}
              lane={lane}
              all={all}
              fixed={fixedSet}
              fixedFrom={fixedFrom}
              times={times}
              marks={marks}
              palette={palette}
              selected={selected}
              wrong={wrong}
              drawn={drawn?.kind === lane.kind ? drawn : null}
              helpId={helpId}
              onPointer={pointer.onLane}
              onKeyDown={onEventKey}
            />
          ))}
      </Box>
      {children}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <Untimed
        events={events}
        fixed={fixed}
        fixedFrom={fixedFrom}
        wrong={wrong}
        onEdit={(id) => {
          select(id, true);
        }}
        onRemove={remove}
      />
      {current && (
        <EventForm
          key={`${fresh ? 'new' : 'old'} ${current.id}`}
          event={current}
          fresh={fresh !== null}
          problem={fresh ? undefined : wrong.get(current.id)}
          focus={focusForm}
          onDone={(event) => {
            edits.change(withEvent(events, event));
            select(event.id);
            if (fresh) {
              setSaid(`Added: ${describe(event)}`);
              focusEvent(event.id);
            }
          }}
          onRemove={() => {
            remove(current.id);
          }}
          onClose={() => {
            select(null);
            focusEvent(current.id);
          }}
        />
      )}
      {wrong.size > 0 && current === null && (
        <Alert color="red" variant="light" title="An event on the timeline is not valid">
          {[...wrong.values()].map((text) => (
            <Text key={text} size="sm" c="var(--mantine-color-text)">
              {text}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  );
}
