import { Group, NativeSelect, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';

import { Section } from '../../../ui/page';
import { Wrong } from '../../../ui/text';
import { numberProblem, type Draft, type Question } from './draft';

interface Props {
  readonly draft: Draft;
  /** What has to be said before there is a link. */
  readonly questions: readonly Question[];
  /** Whether the recording has rates of 0. */
  readonly silent: boolean;
  readonly onDraft: (draft: Draft) => void;
}

const ZEROS = [
  { value: 'outage', label: 'An outage: packets were lost' },
  { value: 'hold', label: 'A hold: packets waited in the queue' },
] as const;

/** What no file tells, and how the recording is played. */
export function Choices({ draft, questions, silent, onDraft }: Props) {
  const wanted = (what: Question['what'], quantity?: string) =>
    questions.some((one) => one.what === what && (quantity === undefined || one.quantity === quantity));
  const typed = (key: 'downRate' | 'upRate' | 'delay' | 'queue') => ({
    value: draft[key],
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      onDraft({ ...draft, [key]: event.currentTarget.value }),
  });
  const numeric = (key: 'from' | 'to' | 'rateTimes' | 'delayTimes') => ({
    inputMode: 'decimal' as const,
    value: draft[key],
    error: numberProblem(key, draft[key]),
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      onDraft({ ...draft, [key]: event.currentTarget.value }),
  });
  const rows = questions.find(({ what }) => what === 'row');
  // A field stays when it has been filled in.
  const shown = (key: 'downRate' | 'upRate' | 'delay', asked: boolean) => asked || draft[key] !== '';
  return (
    <Section title="What the files do not tell">
      <Stack gap="sm">
        {questions
          .filter(({ what }) => what === 'column' || what === 'unit')
          .map(({ message }) => (
            <Wrong key={message}>{inThePage(message)}</Wrong>
          ))}
        {(wanted('zeros') || silent) && <Silence draft={draft} onDraft={onDraft} />}
        {(rows !== undefined || draft.row !== null) && (
          <NativeSelect
            label="Row"
            maw={420}
            error={draft.row === null ? 'Choose a row.' : null}
            data={rows === undefined ? [draft.row ?? ''] : ['', ...rows.choices]}
            value={draft.row ?? ''}
            onChange={(event) => onDraft({ ...draft, row: event.currentTarget.value || null })}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
          {shown('downRate', wanted('rate', 'down')) && (
            <TextInput
              label="Rate down"
              placeholder="10 Mbit/s"
              required
              error={wanted('rate', 'down') ? 'No file tells it.' : null}
              {...typed('downRate')}
            />
          )}
          {shown('upRate', wanted('rate', 'up')) && (
            <TextInput
              label="Rate up"
              placeholder="10 Mbit/s"
              required
              error={wanted('rate', 'up') ? 'No file tells it.' : null}
              {...typed('upRate')}
            />
          )}
          {shown('delay', wanted('delay')) && (
            <TextInput
              label="Delay, one way"
              placeholder="25 ms"
              required
              error={wanted('delay') ? 'No file tells it.' : null}
              {...typed('delay')}
            />
          )}
          <TextInput label="Queue" placeholder="300 ms of the mean rate" {...typed('queue')} />
          <TextInput label="From (s)" placeholder="the beginning" {...numeric('from')} />
          <TextInput label="To (s)" placeholder="the end" {...numeric('to')} />
          <TextInput label="Rates times" placeholder="1" {...numeric('rateTimes')} />
          <TextInput label="Delays times" placeholder="1" {...numeric('delayTimes')} />
        </SimpleGrid>
        <Group>
          <Switch
            label="Begin again after the end"
            checked={draft.loop}
            onChange={(event) => onDraft({ ...draft, loop: event.currentTarget.checked })}
          />
          <Switch
            label="Begin at a random place, so that repetitions differ"
            checked={draft.randomStart}
            onChange={(event) => onDraft({ ...draft, randomStart: event.currentTarget.checked })}
          />
        </Group>
      </Stack>
    </Section>
  );
}

/** The same without how the command line takes the answer. */
function inThePage(message: string): string {
  return `${message.replace(/; (?:say which|choose one):.*$/, '')}: choose it above.`;
}

/** What the recording's zeros were: TCP reacts differently to the two. */
function Silence({ draft, onDraft }: Pick<Props, 'draft' | 'onDraft'>) {
  return (
    <Radio.Group
      label="What was a rate of 0?"
      required
      description={draft.zeros === null ? 'Choose one: TCP reacts differently to the two.' : null}
      value={draft.zeros}
      onChange={(value) => onDraft({ ...draft, zeros: value === 'hold' ? 'hold' : 'outage' })}
    >
      <Group mt="xs">
        {ZEROS.map(({ value, label }) => (
          <Radio key={value} value={value} label={label} />
        ))}
      </Group>
    </Radio.Group>
  );
}
