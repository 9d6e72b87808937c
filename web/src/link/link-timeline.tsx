import { Stack } from '@mantine/core';
import { useState } from 'react';

import { reach } from './edit';
import { PreviewFigure, PreviewInWords } from './preview';
import type { ScriptEvent } from './script';
import { Timeline } from './timeline';
import { usePreview } from './use-preview';
import { firstWindow, MOST, type TimeWindow } from './window';

interface Props {
  /** The text of the link with these events: what the preview shows. Null while there is none. */
  readonly toml: string | null;
  /** What the link is called, if it has a name already. */
  readonly name?: string | undefined;
  readonly seed?: string;
  readonly events: readonly ScriptEvent[];
  readonly onChange: (events: readonly ScriptEvent[]) => void;
  readonly fixed?: readonly ScriptEvent[] | undefined;
  readonly fixedFrom?: string | undefined;
  readonly problems?: ReadonlyMap<number, string> | undefined;
}

/** The timeline of a link and, on the same axis below, what the engine says that the link does then. */
export function LinkTimeline({
  toml,
  name,
  seed = '1',
  events,
  onChange,
  fixed,
  fixedFrom,
  problems,
}: Props) {
  const [window, setWindow] = useState<TimeWindow>(() => firstWindow(reach([...events, ...(fixed ?? [])])));
  const [repetition, setRepetition] = useState(1);
  // In steps, so that looking around asks the engine seldom.
  const seconds = Math.min(MOST / 1e9, Math.max(60, 2 ** Math.ceil(Math.log2(window.to / 1e9))));
  const state = usePreview({ toml, seed, repetition, seconds, name });
  return (
    <Stack gap="md">
      <Timeline
        events={events}
        onChange={onChange}
        fixed={fixed}
        fixedFrom={fixedFrom}
        problems={problems}
        window={window}
        onWindow={setWindow}
      >
        <PreviewFigure state={state} window={window} repetition={repetition} onRepetition={setRepetition} />
      </Timeline>
      <PreviewInWords state={state} window={window} />
    </Stack>
  );
}
