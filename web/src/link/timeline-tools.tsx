import { ActionIcon, Group, Switch, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsHorizontal,
  IconChevronLeft,
  IconChevronRight,
  IconZoomIn,
  IconZoomOut,
  type Icon,
} from '@tabler/icons-react';

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
      <Tool icon={IconArrowBackUp} label="Undo" onClick={undo} />
      <Tool icon={IconArrowForwardUp} label="Redo" onClick={redo} />
      <Tool
        icon={IconZoomIn}
        label="Zoom in"
        onClick={() => {
          // Runs begin at 0: what is seen from there stays in sight.
          onWindow(zoomed(window, 0.5, window.from === 0 ? 0 : middle));
        }}
      />
      <Tool
        icon={IconZoomOut}
        label="Zoom out"
        onClick={() => onWindow(zoomed(window, 2, window.from === 0 ? 0 : middle))}
      />
      <Tool
        icon={IconChevronLeft}
        label="Earlier"
        onClick={window.from === 0 ? null : () => onWindow(shifted(window, window.from - quarter))}
      />
      <Tool
        icon={IconChevronRight}
        label="Later"
        onClick={() => onWindow(shifted(window, window.from + quarter))}
      />
      <Tool
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

interface ToolProps {
  readonly icon: Icon;
  readonly label: string;
  readonly onClick: (() => void) | null;
}

function Tool({ icon: Sign, label, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="md"
        aria-label={label}
        disabled={onClick === null}
        {...(onClick !== null && { onClick })}
      >
        <Sign size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
