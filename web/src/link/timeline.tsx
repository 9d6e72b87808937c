import './link.css';

import { Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import type { Ns } from '../lib/brand';
import { timeTicks } from '../lib/ticks';
import { usePalette } from '../paint/use-palette';
import { SignButton } from '../ui/buttons';
import { Notice } from '../ui/text';
import { clashes } from './check';
import { nudged } from './drag';
import { created, snap, snapStep, withEvent, without } from './edit';
import { EventForm } from './event-form';
import { describe, KINDS, USUAL_LANES, whenOf } from './kinds';
import { lanesOf } from './lanes';
import { LaneView } from './lane-view';
import { marksFor, timeScale, type Times } from './preview-figure';

import { EVENT_KINDS, isTimed, type ScriptEvent, type TimedEvent } from './script';
import { TimeAxis } from './time-axis';
import { TimelineTools } from './timeline-tools';
import { Untimed } from './untimed';
import { useHistory, type Undoing } from './use-history';
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
  /** What undoes changes, if the events are a part of something that does; else the timeline does it. */
  readonly undoing?: Undoing | undefined;
  /** What stands right under the lanes, on the same axis. */
  readonly children?: ReactNode;
}

const NONE: readonly ScriptEvent[] = [];
const OTHERS = EVENT_KINDS.filter(
  (kind) => !USUAL_LANES.includes(kind) && KINDS[kind].begins !== 'at packets',
);

const fixedWords = (from: string) => `Dashed events belong to ${from}; change them there.`;

/** What happens on a link, along the time of a run: drawn, moved and resized by hand, by keys, or in numbers. */
export function Timeline(props: Props) {
  const { events, fixed = NONE, fixedFrom = '', problems, window, onWindow, least = null, children } = props;
  const palette = usePalette();
  const { ref, width } = useElementSize();
  const helpId = useId();
  const [allLanes, setAllLanes] = useState(false);
  const times = timeScale(window, width);
  const editing = useEditing(props, times);
  const { pointer, selection, root, add } = editing;
  const marks = useMarks(window, width);
  const wrong = useWrong(events, problems);
  const { drag, shape } = pointer;
  const drawn = drag?.doing === 'draw' ? shape : null;
  const seen = drag && drag.doing !== 'draw' && shape ? withEvent(events, shape) : events;
  const all = [...fixed, ...seen];
  const fixedSet = new Set(fixed);
  const current = selection.fresh ?? seen.find(({ id }) => id === selection.selected) ?? null;
  return (
    <Stack gap="xs" onKeyDown={editing.onKey} role="group" aria-label="Timeline">
      <Group justify="space-between" gap="xs">
        <SignButton ref={add} size="xs" sign={IconPlus} onClick={editing.begin} variant="filled">
          Add event
        </SignButton>
        <TimelineTools
          undo={editing.undo}
          redo={editing.redo}
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
        <Text
          size="xs"
          c={editing.took ? 'var(--mantine-color-text)' : 'dimmed'}
          fw={editing.took ? 600 : 400}
        >
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
              selected={selection.selected}
              wrong={wrong}
              drawn={drawn?.kind === lane.kind ? drawn : null}
              helpId={helpId}
              onPointer={pointer.onLane}
              onKeyDown={editing.onEventKey}
            />
          ))}
      </Box>
      <Untimed
        events={events}
        fixed={fixed}
        fixedFrom={fixedFrom}
        wrong={wrong}
        onEdit={(id) => selection.select(id, true)}
        onRemove={editing.remove}
      />
      {current && (
        <Current {...{ editing, current }} x={placeOf(current, times)} problem={wrong.get(current.id)} />
      )}
      {children}
      <VisuallyHidden role="status">{editing.said}</VisuallyHidden>
      {wrong.size > 0 && current === null && (
        <Notice color="red" title="An event on the timeline is not valid">
          {[...wrong.values()].map((text) => (
            <Text key={text} size="sm" c="var(--mantine-color-text)">
              {text}
            </Text>
          ))}
        </Notice>
      )}
    </Stack>
  );
}

/** The instants that have a line through all lanes. */
function useMarks({ from, to }: TimeWindow, width: number): readonly number[] {
  return useMemo(
    () => timeTicks(from, to, marksFor(width)).marks.map(({ value }) => value),
    [from, to, width],
  );
}

/** What is wrong with events, by id: what the engine says, and which do the same at once. */
function useWrong(events: readonly ScriptEvent[], problems: Props['problems']): ReadonlyMap<number, string> {
  return useMemo(() => {
    const found = new Map(problems);
    for (const [id, other] of clashes(events))
      found.set(id, `Another event does the same at the same time (${describe(other)}). Move one of them.`);
    return found;
  }, [problems, events]);
}

/** Which event is on show in numbers: one of the timeline, or one that is to be added yet. */
function useSelection() {
  const [selected, setSelected] = useState<number | null>(null);
  const [fresh, setFresh] = useState<ScriptEvent | null>(null);
  const [focusForm, setFocusForm] = useState(false);
  return {
    selected,
    fresh,
    focusForm,
    select: (id: number | null, intoForm = false) => {
      setFresh(null);
      setSelected(id);
      setFocusForm(intoForm);
    },
    /** As `select`, while the focus stays where it is. */
    keep: (id: number) => {
      setSelected(id);
      setFresh(null);
    },
    begin: (event: ScriptEvent) => {
      setSelected(null);
      setFresh(event);
      setFocusForm(true);
    },
  };
}

type Editing = ReturnType<typeof useEditing>;

/** Changes of the events by hand and by keys, and what is said of them. */
function useEditing(props: Props, times: Times) {
  const { events, onChange, fixedFrom = '', window, onWindow } = props;
  const root = useRef<HTMLDivElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const edits = useHistory(events, onChange);
  const { undo, redo } = props.undoing ?? edits;
  const selection = useSelection();
  const [said, setSaid] = useState('');
  /** Whether someone tried to take what is not to be changed here. */
  const [took, setTook] = useState(false);
  const step = snapStep((window.to - window.from) / Math.max(1, times.r1 - times.r0));
  const focusEvent = (id?: number) => {
    requestAnimationFrame(() => {
      const block =
        id === undefined ? null : root.current?.querySelector<HTMLElement>(`[data-event="${id}"]`);
      (block ?? add.current)?.focus();
    });
  };
  const put = (event: ScriptEvent) => {
    edits.change(withEvent(events, event));
    selection.select(event.id);
  };
  const pointer = useTimelinePointer({
    root,
    times,
    step,
    events,
    onDone: (event) => {
      put(event);
      // What was drawn is there only from now on; its keys are to work at once.
      focusEvent(event.id);
    },
    onSelect: selection.select,
    onFixed: () => {
      setSaid(fixedWords(fixedFrom));
      setTook(true);
    },
    window,
    onWindow,
  });
  const remove = (id: number) => {
    const timed = events.filter(isTimed);
    const place = timed.findIndex((event) => event.id === id);
    edits.change(without(events, id));
    selection.select(null);
    setSaid('Deleted.');
    focusEvent((timed.at(place + 1) ?? timed.at(place - 1))?.id);
  };
  const onEventKey = (event: TimedEvent, pressed: KeyboardEvent<HTMLElement>) => {
    const next = nudged(event, pressed, step);
    if (next) {
      edits.change(withEvent(events, next));
      selection.keep(event.id);
      setSaid(whenOf(next));
    } else if (pressed.key === 'Delete' || pressed.key === 'Backspace') remove(event.id);
    else if (pressed.key === 'Enter' || pressed.key === ' ')
      selection.select(event.id, pressed.key === 'Enter');
    else return;
    pressed.preventDefault();
  };
  const onKey = (pressed: KeyboardEvent<HTMLElement>) => {
    if (pressed.target instanceof HTMLInputElement || !(pressed.ctrlKey || pressed.metaKey)) return;
    const key = pressed.key.toLowerCase();
    const go = key === 'y' || (key === 'z' && pressed.shiftKey) ? redo : key === 'z' ? undo : null;
    if (go === null) return;
    pressed.preventDefault();
    go();
    // The event that had the focus may be gone, and the keys with it.
    focusEvent(selection.selected ?? undefined);
  };
  const begin = () =>
    selection.begin(created('hold', snap(window.from + (window.to - window.from) / 6, step), null, events));
  return {
    root,
    add,
    selection,
    pointer,
    said,
    setSaid,
    took,
    undo,
    redo,
    focusEvent,
    put,
    remove,
    onEventKey,
    onKey,
    begin,
  };
}

/** Where an event begins, CSS pixels from the left of the lanes; null where that is out of sight, or not a time. */
function placeOf(event: ScriptEvent, times: Times): number | null {
  if (!isTimed(event) || event.at < times.d0 || event.at > times.d1) return null;
  return times.toPx(event.at);
}

interface CurrentProps {
  readonly editing: Editing;
  readonly current: ScriptEvent;
  readonly x: number | null;
  readonly problem: string | undefined;
}

/**
 * The event that is on show in numbers, right below its lanes, with a tip that points to it. It stays in one place of the
 * page while what is typed ties the event to packets: it would lose the focus otherwise.
 */
function Current({ editing, current, x, problem }: CurrentProps) {
  const { fresh, focusForm, select } = editing.selection;
  return (
    <EventForm
      key={`${fresh ? 'new' : 'old'} ${current.id}`}
      x={x}
      event={current}
      fresh={fresh !== null}
      problem={fresh ? undefined : problem}
      focus={focusForm}
      onDone={(event) => {
        editing.put(event);
        if (fresh) {
          editing.setSaid(`Added: ${describe(event)}`);
          editing.focusEvent(event.id);
        }
      }}
      onRemove={() => editing.remove(current.id)}
      onClose={() => {
        select(null);
        editing.focusEvent(current.id);
      }}
    />
  );
}
