import { Group, Switch } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsHorizontal,
  IconChevronLeft,
  IconChevronRight,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';

import { ToolButton } from '../ui/tool-button';
import { reach } from './edit';
import type { ScriptEvent } from './script';
import { firstWindow, shifted, zoomed, type TimeWindow } from './window';

interface Props {
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
  readonly events: readonly ScriptEvent[];
  readonly allLanes: boolean;
  readonly onAllLanes: (all: boolean) => void;
}

/** What can be done with a timeline as a whole. */
export function TimelineTools({ undo, redo, window, onWindow, events, allLanes, onAllLanes }: Props) {
  const middle = (window.from + window.to) / 2;
  const quarter = (window.to - window.from) / 4;
  return (
    <Group gap={4} role="toolbar" aria-label="Timeline tools">
      <ToolButton icon={IconArrowBackUp} label="Undo" onClick={undo} />
      <ToolButton icon={IconArrowForwardUp} label="Redo" onClick={redo} />
      <ToolButton
        icon={IconZoomIn}
        label="Zoom in"
        onClick={() => {
          // Runs begin at 0: what is seen from there stays in sight.
          onWindow(zoomed(window, 0.5, window.from === 0 ? 0 : middle));
        }}
      />
      <ToolButton
        icon={IconZoomOut}
        label="Zoom out"
        onClick={() => onWindow(zoomed(window, 2, window.from === 0 ? 0 : middle))}
      />
      <ToolButton
        icon={IconChevronLeft}
        label="Earlier"
        onClick={window.from === 0 ? null : () => onWindow(shifted(window, window.from - quarter))}
      />
      <ToolButton
        icon={IconChevronRight}
        label="Later"
        onClick={() => onWindow(shifted(window, window.from + quarter))}
      />
      <ToolButton
        icon={IconArrowsHorizontal}
        label="Show all events"
        onClick={() => onWindow(firstWindow(reach(events)))}
      />
      <Switch
        size="xs"
        ml={6}
        label="Lanes for loss and queue"
        checked={allLanes}
        onChange={({ currentTarget }) => onAllLanes(currentTarget.checked)}
      />
    </Group>
  );
}
