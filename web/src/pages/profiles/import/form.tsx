import { Group, Stack, TextInput } from '@mantine/core';
import { useMemo, useState, type ChangeEvent, type SubmitEvent } from 'react';
import type { TomlTable } from 'smol-toml';

import { useDocuments, type DocumentLine } from '../../../api/documents';
import type { Direction } from '../../../api/client';
import { nameFrom, nameProblem, takenProblem } from '../../../lib/document-name';
import { ns } from '../../../lib/brand';
import { LinkPreview } from '../../../link/preview';
import { wrongWithin } from '../../../api/problems';
import { PATH_TABLES, PLACES } from '../../../link/fields';
import { TableFields } from '../../../link/table-fields';
import { usePreview } from '../../../link/use-preview';
import { useValidation } from '../../../toml/use-validation';
import { Failure, Problems } from '../../../ui/asked';
import { Section } from '../../../ui/page';
import { Wrong } from '../../../ui/text';
import { FileSlot, type Given } from './file-slot';
import { Shapes } from './shapes';
import { fieldsOf } from './fields';
import { givesDelay, givesRate, linkText, MOST_LETTERS, upTo } from './link-text';
import type { Recording } from './read-file';
import { SaveBar } from './save-bar';
import { useSaving, type FormProps } from './saving';
import { NameField } from '../name-field';

const PREVIEW_S = 60;

const NONE: readonly DocumentLine[] = [];

type Files = Readonly<Record<Direction, Given | null>>;

/** What is typed; `null`: as suggested. */
interface Draft {
  readonly name: string | null;
  readonly title: string | null;
  readonly rate: string;
  readonly delay: string;
  readonly queue: TomlTable;
  readonly first: string;
}

/** The link that files and what is typed make, and what is wrong with it. */
function useLinkOf(files: Files, draft: Draft) {
  const given = [files.down, files.up].filter((file) => file !== null);
  const names = given.map(({ file }) => file).join(' and ');
  const seconds = draft.first.trim() === '' ? null : Number(draft.first);
  const wrongFirst =
    seconds !== null && !(seconds > 0) ? 'A number of seconds above 0, or nothing for all of it.' : null;
  const cut = wrongFirst === null ? seconds : null;
  const heading = draft.title ?? (given.length > 0 ? `Recorded: ${names}` : '');
  const recordings = useMemo(() => {
    const of = (file: Given | null): Recording | null => {
      if (file === null || 'wrong' in file.read) return null;
      return cut === null ? file.read.recording : upTo(file.read.recording, cut);
    };
    return { down: of(files.down), up: of(files.up) };
  }, [files, cut]);
  const source = `Imported from ${names}`;
  const toml = linkText({ ...draft, title: heading, source, recordings });
  const tooLong =
    toml.length > MOST_LETTERS
      ? `Too long as a link (${toml.length} characters, limit ${MOST_LETTERS}). Import fewer seconds.`
      : null;
  const missing =
    given.length === 0
      ? 'Give a file for at least one direction.'
      : given.some(({ read }) => 'wrong' in read)
        ? 'A file could not be read: correct it, choose its format, or remove it.'
        : null;
  const text = missing === null && tooLong === null && wrongFirst === null ? toml : null;
  const called = draft.name ?? nameFrom((given[0]?.file ?? '').replace(/\.[a-z]{2,5}$/i, ''));
  const there = useDocuments('links').data ?? NONE;
  const wrongName = nameProblem(called) ?? takenProblem(called, there, 'link');
  const verdict = useValidation('link', tooLong === null ? toml : '', {
    name: wrongName === null ? called : null,
  });
  const problems = tooLong === null ? verdict.problems : [];
  return {
    ...{ any: given.length > 0, heading, recordings, text, missing, called, wrongName, verdict, problems },
    wrongFirst: wrongFirst ?? tooLong,
    fields: fieldsOf(problems),
  };
}

/** Makes a link of what is read here, in the browser: a Mahimahi trace, a rate over time, delays; with any queue. */
export function TraceForm(props: FormProps) {
  const [files, setFiles] = useState<Files>({ down: null, up: null });
  const [draft, setDraft] = useState<Draft>({
    ...{ name: null, title: null, rate: '1 Mbit/s', delay: '50 ms', first: '' },
    queue: { kind: 'droptail', limit: '100 packets' },
  });
  const change = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }));
  const [tried, setTried] = useState(false);
  const link = useLinkOf(files, draft);
  const { text, missing, called, wrongName } = link;
  const saving = useSaving(props, link.any);
  return (
    <form
      noValidate
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        setTried(true);
        if (text !== null && wrongName === null) void saving.save(called, text);
      }}
    >
      <Stack gap="lg">
        <Shapes />
        {(['down', 'up'] as const).map((direction) => (
          <FileSlot
            key={direction}
            direction={direction}
            given={files[direction]}
            onGiven={(file) => setFiles((old) => ({ ...old, [direction]: file }))}
          />
        ))}
        {tried && missing !== null && <Wrong role="alert">{missing}</Wrong>}
        <Rest
          {...{ link, draft, change, tried }}
          taken={saving.taken}
          onName={(name) => {
            change({ name });
            saving.setRefused(null);
          }}
        />
        <Preview toml={link.verdict.state === 'valid' ? text : null} shown={text !== null} />
        <SaveBar saving={saving} />
      </Stack>
    </form>
  );
}

interface RestProps {
  readonly link: ReturnType<typeof useLinkOf>;
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly tried: boolean;
  readonly taken: boolean;
  readonly onName: (name: string) => void;
}

/** What no file gives. */
function Rest({ link, draft, change, tried, taken, onName }: RestProps) {
  const { recordings, fields, problems, wrongFirst, called, verdict } = link;
  const typed = (key: 'rate' | 'delay' | 'first', error: string | null | undefined) => ({
    miw: 220,
    value: draft[key],
    error,
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [key]: event.currentTarget.value }),
  });
  return (
    <Section title="The rest of the link">
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {!(givesRate(recordings.down) && givesRate(recordings.up)) && (
          <TextInput label="Rate" description="Where no file gives it" {...typed('rate', fields.rate)} />
        )}
        {!(givesDelay(recordings.down) && givesDelay(recordings.up)) && (
          <TextInput
            label="Delay"
            description="One way; where no file gives it"
            {...typed('delay', fields.delay)}
          />
        )}
        <TextInput
          label="First seconds only"
          description="Empty for the whole recording"
          inputMode="decimal"
          {...typed('first', wrongFirst)}
        />
      </Group>
      {PATH_TABLES.filter(({ key }) => key === 'queue').map((table) => (
        <TableFields
          key={table.key}
          table={table}
          said={draft.queue}
          wrong={wrongWithin(problems, ...PLACES.map((place) => `${place}.${table.key}`))}
          onChange={(queue) => change({ queue })}
        />
      ))}
      <NameField
        one="link"
        name={called}
        taken={taken}
        wrong={tried || called !== '' ? link.wrongName : null}
        onChange={onName}
      />
      <TextInput
        label="Title"
        description="In one line"
        required
        maw={620}
        value={link.heading}
        error={tried || draft.title !== null ? fields.title : null}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      {fields.others.length > 0 && <Problems problems={fields.others} />}
      {verdict.state === 'unknown' && <Failure title="The engine could not check it" error={verdict.error} />}
    </Section>
  );
}

/** What happens on the link at first. */
function Preview({ toml, shown }: { readonly toml: string | null; readonly shown: boolean }) {
  const [repetition, setRepetition] = useState(1);
  const state = usePreview({ toml, seed: '1', repetition, seconds: PREVIEW_S });
  if (state.preview === null || !shown) return null;
  return (
    <Section title={`The first ${PREVIEW_S} s, as the engine plays it`}>
      <LinkPreview
        state={state}
        window={{ from: ns(0), to: ns(PREVIEW_S * 1e9) }}
        repetition={repetition}
        onRepetition={setRepetition}
      />
    </Section>
  );
}
