import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { ApiFailure } from '../../api/failure';
import { Copyable } from '../../ui/copy';
import { Failure } from '../../ui/asked';
import { Muted } from '../../ui/text';
import { notifyDone } from '../../ui/notify';
import { commandOf } from './command';
import { EMULATOR } from './use-emulator';
import { changeInWords } from './words';

type Asked = Schema<'ChangeGiven'>;

const KINDS = [
  { value: 'hold', label: 'Hold' },
  { value: 'drop', label: 'Drop' },
  { value: 'set', label: 'Set' },
] as const satisfies readonly { value: Asked['kind']; label: string }[];

const ABOUT = {
  hold: 'Deliver nothing, keep everything, and release it in order at the end.',
  drop: 'Lose everything.',
  set: 'Set rate, delay or loss; empty fields stay unchanged.',
} as const satisfies Record<Asked['kind'], string>;

const DIRECTIONS = [
  { value: 'both', label: 'Both ways' },
  { value: 'down', label: 'Down' },
  { value: 'up', label: 'Up' },
] as const satisfies readonly { value: Asked['direction']; label: string }[];

/** What can be set, as it is entered. */
const SETTINGS = [
  { key: 'rate', label: 'Rate', placeholder: '64 kbit/s' },
  { key: 'delay', label: 'Delay, one way', placeholder: '200 ms' },
  { key: 'loss', label: 'Loss', placeholder: '1 %' },
] as const;

const NOTHING = { rate: '', delay: '', loss: '' };

/** Holds, drops or sets, at once: the words of `windlull link`. */
export function ChangeForm({ disabled }: { readonly disabled: boolean }) {
  const [kind, setKind] = useState<Asked['kind']>('hold');
  const [direction, setDirection] = useState<NonNullable<Asked['direction']>>('both');
  const [lasts, setLasts] = useState('3 s');
  const [settings, setSettings] = useState(NOTHING);
  const queries = useQueryClient();
  const keys = useCreationKeys();
  const make = api.useMutation('post', `${EMULATOR}/changes`);

  const asked: Asked = {
    kind,
    direction,
    for: lasts.trim() || null,
    ...(kind === 'set' && {
      set: {
        rate: settings.rate.trim() || null,
        delay: settings.delay.trim() || null,
        loss: settings.loss.trim() || null,
      },
    }),
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    make.mutate(
      { body: asked, params: { header: { 'Idempotency-Key': keys.keyOf(asked) } } },
      {
        onSuccess: (made) => {
          keys.done(asked);
          notifyDone(`Change ${made.id}`, changeInWords(made));
          void queries.invalidateQueries(api.queryOptions('get', EMULATOR));
        },
      },
    );
  };
  const problems = make.error instanceof ApiFailure ? make.error.problems : [];
  const of = (key: string) => problems.find((problem) => problem.key === key)?.message;
  const fields = ['for', ...SETTINGS.map(({ key }) => `set.${key}`)];
  const elsewhere = make.error !== null && !problems.some(({ key }) => fields.includes(key ?? ''));

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" align="stretch">
        <Group gap="sm">
          <SegmentedControl
            aria-label="What happens"
            data={[...KINDS]}
            value={kind}
            onChange={(value) => {
              setKind(value);
              make.reset();
            }}
          />
          <SegmentedControl
            aria-label="Which way"
            data={[...DIRECTIONS]}
            value={direction}
            onChange={setDirection}
          />
        </Group>
        <Muted>{ABOUT[kind]}</Muted>
        <Group gap="sm" align="flex-start">
          {kind === 'set' &&
            SETTINGS.map(({ key, label, placeholder }) => (
              <TextInput
                key={key}
                label={label}
                placeholder={placeholder}
                w={150}
                value={settings[key]}
                error={of(`set.${key}`)}
                onChange={({ currentTarget: { value } }) =>
                  setSettings((before) => ({ ...before, [key]: value }))
                }
              />
            ))}
          <TextInput
            label="For"
            placeholder="until it is taken back"
            w={190}
            value={lasts}
            error={of('for')}
            onChange={({ currentTarget: { value } }) => setLasts(value)}
          />
        </Group>
        {elsewhere && <Failure title="The link was not changed" error={make.error} />}
        <Group>
          <Button type="submit" loading={make.isPending} disabled={disabled} variant="filled">
            {KINDS.find(({ value }) => value === kind)?.label}
          </Button>
        </Group>
        <Copyable text={commandOf(asked)} what="the command that does the same" />
      </Stack>
    </form>
  );
}
