import { Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';

import type { Problem } from '../../../api/failure';
import { list } from '../../../lib/json';
import { eventsOf, problemsByEvent, readScript, writeScript } from '../../../link/document';
import { LinkTimeline } from '../../../link/link-timeline';
import { writeEvent, type ScriptEvent } from '../../../link/script';
import type { TextHistory } from '../../../link/use-text-history';
import { Section } from '../../../ui/page';
import { Notice } from '../../../ui/text';
import type { Base } from './use-link';

interface Props {
  readonly text: TextHistory;
  readonly base: Base | null;
  readonly problems: readonly Problem[];
  readonly name: string | null;
  /** Whether the engine takes the text: what it refuses has no preview. */
  readonly valid: boolean;
}

const said = (events: readonly ScriptEvent[]) => JSON.stringify(events.map(writeEvent));

/** The events of a text. Those of before keep their ids where the text says the same. */
function useScript({ text, change }: TextHistory) {
  const read = useMemo(() => readScript(text), [text]);
  const [held, setHeld] = useState<readonly ScriptEvent[]>('wrong' in read ? [] : read.events);
  const events = 'wrong' in read || said(held) === said(read.events) ? held : read.events;
  if (events !== held) setHeld(events);
  return {
    events,
    wrong: 'wrong' in read ? read.wrong : null,
    set: (next: readonly ScriptEvent[]) => {
      setHeld(next);
      change(writeScript(text, next));
    },
  };
}

/** What happens on the link at set times, and what it does then: drawn, and as the engine says. */
export function OverTime({ text, base, problems, name, valid }: Props) {
  const { events, wrong, set } = useScript(text);
  const fixed = useMemo(() => eventsOf(list(base?.table['script'])) ?? [], [base]);
  return (
    <Section title="Over time">
      {wrong !== null && (
        <Notice role="status" color="yellow" title="The timeline waits for the text">
          <Text size="sm">{wrong}</Text>
        </Notice>
      )}
      <Stack inert={wrong !== null} opacity={wrong === null ? 1 : 0.6}>
        <LinkTimeline
          toml={valid ? text.text : null}
          events={events}
          onChange={set}
          fixed={fixed}
          fixedFrom={base?.name}
          problems={problemsByEvent(problems, events)}
          name={name ?? undefined}
          undoing={text}
        />
      </Stack>
    </Section>
  );
}
