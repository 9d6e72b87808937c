import { Button, Group, Paper, SegmentedControl, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState, type ChangeEvent } from 'react';

import { Wrong } from '../ui/text';
import { readForm, type EventForm as Form } from './check';
import { DIRECTIONS, KINDS } from './kinds';
import { writeDuration } from './quantity';
import { EVENT_KINDS, type Direction, type EventKind, type ScriptEvent } from './script';

interface Props {
  readonly event: ScriptEvent;
  /** Whether it is to be added yet. */
  readonly fresh: boolean;
  /** What the engine, or another event, has against it. */
  readonly problem: string | undefined;
  readonly focus: boolean;
  /** Where the event begins, CSS pixels from the left of the form; null if no place is to be pointed to. */
  readonly x: number | null;
  readonly onDone: (event: ScriptEvent) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

const DIRECTION_CHOICES = (['both', 'down', 'up'] as const).map((value) => ({
  value,
  label: `${DIRECTIONS[value].sign} ${value}`,
}));

/** An event in exact numbers. Mount it anew for an event of another id. */
export function EventForm({ event, fresh, problem, focus, x, onDone, onRemove, onClose }: Props) {
  const { form, field, apply } = useForm(event, fresh, onDone);
  const begins = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) begins.current?.focus();
  }, [focus]);
  const kind = KINDS[form.kind];
  const heading = fresh ? 'New event' : kind.label;
  return (
    <Paper component="section" withBorder p="sm" aria-label={heading} pos="relative">
      {x !== null && <div className="link-form-tip" style={{ left: x }} aria-hidden />}
      <form
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault();
          apply(form, true);
        }}
      >
        <Stack gap="xs">
          <Group justify="space-between" gap="xs">
            <Title order={3} size="h6">
              {heading}
            </Title>
            <Text size="xs" c="dimmed">
              {kind.about}
            </Text>
          </Group>
          <Group gap="sm" align="flex-start">
            <Select
              label="What"
              size="sm"
              w={150}
              data={EVENT_KINDS.map((value) => ({ value, label: KINDS[value].label }))}
              value={form.kind}
              onChange={(value) => {
                if (value) apply(ofKind(form, value as EventKind), false);
              }}
            />
            <TextInput
              ref={begins}
              label="Begins at"
              description="a time, or packets"
              w={170}
              {...field('at')}
            />
            {kind.begins !== 'at packets' && (
              <TextInput
                label="Lasts"
                description={kind.needsLength ? 'such as 3 s or 250 ms' : 'empty: until the end'}
                w={130}
                {...field('length')}
              />
            )}
            {kind.value !== null && (
              <TextInput
                label={kind.value.label}
                description={`such as ${kind.value.initial}`}
                w={140}
                {...field('value')}
              />
            )}
            <DirectionChoice on={form.on} onChange={(on) => apply({ ...form, on }, false)} />
          </Group>
          {problem !== undefined && <Wrong role="alert">{problem}</Wrong>}
          <Group gap="xs">
            <Button type="submit" size="xs" variant="filled">
              {fresh ? 'Add to the timeline' : 'Apply'}
            </Button>
            {!fresh && (
              <Button size="xs" onClick={onRemove}>
                Delete event
              </Button>
            )}
            <Button size="xs" onClick={onClose}>
              {fresh ? 'Cancel' : 'Close'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

interface DirectionProps {
  readonly on: Direction;
  readonly onChange: (on: Direction) => void;
}

function DirectionChoice({ on, onChange }: DirectionProps) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500} aria-hidden>
        Direction
      </Text>
      <SegmentedControl
        aria-label="Direction"
        size="sm"
        data={DIRECTION_CHOICES}
        value={on}
        onChange={(value) => onChange(value as Direction)}
      />
    </Stack>
  );
}

/** What is typed of an event, what is wrong with it, and the ways in which it becomes the event's. */
function useForm(event: ScriptEvent, fresh: boolean, onDone: Props['onDone']) {
  const [form, setForm] = useState<Form>(() => formOf(event));
  const [shownAs, setShownAs] = useState(event);
  const [touched, setTouched] = useState(false);
  if (JSON.stringify(shownAs) !== JSON.stringify(event)) {
    // Moved by hand or keys, undone, or what was typed here a moment ago.
    setShownAs(event);
    if (JSON.stringify(readForm(form, event.id).event) !== JSON.stringify(event)) setForm(formOf(event));
  }
  const { event: read, errors } = readForm(form, event.id);
  return {
    form,
    field: (key: 'at' | 'length' | 'value') => ({
      inputWrapperOrder: ORDER,
      size: 'sm',
      value: form[key],
      error: touched ? errors[key] : undefined,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
        setForm({ ...form, [key]: currentTarget.value }),
      onBlur: () => {
        setTouched(true);
        if (!fresh && read) onDone(read);
      },
    }),
    apply: (next: Form, always: boolean) => {
      setForm(next);
      if (always) setTouched(true);
      const { event: good } = readForm(next, event.id);
      if (good && (always || !fresh)) onDone(good);
    },
  };
}

const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'error', 'description'];

function formOf(event: ScriptEvent): Form {
  return {
    kind: event.kind,
    on: event.on,
    at: typeof event.at === 'number' ? writeDuration(event.at) : event.at,
    length: event.length === null ? '' : writeDuration(event.length),
    value: event.value ?? '',
  };
}

/** The form for another kind of event: what that kind needs has a value to begin with. */
function ofKind(form: Form, kind: EventKind): Form {
  const { needsLength, value, begins } = KINDS[kind];
  return {
    ...form,
    kind,
    at: begins === 'at packets' && /^\s*\d/.test(form.at) ? 'data segment 9' : form.at,
    length: needsLength && form.length === '' ? '3 s' : form.length,
    value: value?.initial ?? '',
  };
}
