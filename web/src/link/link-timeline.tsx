import { Stack, Text } from '@mantine/core';
import { useState } from 'react';

import { Notice } from '../ui/text';
import { reach } from './edit';
import { PreviewFigure, PreviewInWords } from './preview';
import type { ScriptEvent, TimedEvent } from './script';
import { ns, type Ns } from '../lib/brand';
import { plural } from '../lib/format';
import { describe } from './kinds';
import { inTime } from './preview-model';
import { Timeline } from './timeline';
import { leastTime, perhapsTooLate, type Transfer } from './transfer';
import type { Undoing } from './use-history';
import { usePreview } from './use-preview';
import { firstWindow, MOST, type TimeWindow } from './window';

interface Props {
  /** The text of the link with these events: what the preview shows. Null while there is none. */
  readonly toml: string | null;
  readonly seed?: string;
  readonly events: readonly ScriptEvent[];
  readonly onChange: (events: readonly ScriptEvent[]) => void;
  readonly fixed?: readonly ScriptEvent[] | undefined;
  readonly fixedFrom?: string | undefined;
  readonly problems?: ReadonlyMap<number, string> | undefined;
  /** What runs carry over the link, if that is known. */
  readonly transfer?: Transfer | null;
  /** What the link is called, if it has a name already. */
  readonly name?: string | undefined;
  readonly undoing?: Undoing | undefined;
}

/** The timeline of a link and, on the same axis below, what the engine says that the link does then. */
export function LinkTimeline({
  toml,
  seed = '1',
  events,
  onChange,
  fixed,
  fixedFrom,
  problems,
  transfer = null,
  name,
  undoing,
}: Props) {
  const [window, setWindow] = useState<TimeWindow>(() => firstWindow(reach([...events, ...(fixed ?? [])])));
  const [repetition, setRepetition] = useState(1);
  // In steps, so that looking around asks the engine seldom.
  const seconds = Math.min(MOST / 1e9, Math.max(60, 2 ** Math.ceil(Math.log2(window.to / 1e9))));
  const state = usePreview({ toml, seed, repetition, seconds, name });
  const { preview } = state;
  const least =
    transfer && preview && leastTime(preview[transfer.way], transfer.octets, ns(preview.until_ns));
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
        least={least}
        undoing={undoing}
      >
        {least !== null && least > 0 && <LeastTime least={least} late={perhapsTooLate(events, least)} />}
        <PreviewFigure state={state} window={window} repetition={repetition} onRepetition={setRepetition} />
      </Timeline>
      <PreviewInWords state={state} window={window} />
    </Stack>
  );
}

/** How long the transfer takes at least, and which events it may not live to see. */
function LeastTime({ least, late }: { readonly least: Ns; readonly late: readonly TimedEvent[] }) {
  const time = inTime(roundedDown(least));
  return (
    <>
      <Text size="xs" c="dimmed">
        At the link’s rate the transfer takes at least {time}, marked on the time axis; headers, queueing and
        losses make it longer.
      </Text>
      {late.length > 0 && (
        <Notice
          role="status"
          color="yellow"
          title={`${plural(late.length, 'event')} may come after the transfer`}
        >
          A run ends with its transfer. This one may end before {late.map(describe).join('; ')}; the runs will
          show.
        </Notice>
      )}
    </>
  );
}

/** To three digits, and not above: it is a least time. */
function roundedDown(span: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(span)) - 2);
  return Math.floor(span / step) * step;
}
