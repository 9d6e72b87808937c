import { Group, List, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo, useState, type SubmitEvent } from 'react';

import { api } from '../../../api/client';
import { useDocuments, type DocumentLine } from '../../../api/documents';
import { ns } from '../../../lib/brand';
import { nameFrom, nameProblem, takenProblem } from '../../../lib/document-name';
import { formatRate } from '../../../lib/format';
import { LinkPreview } from '../../../link/preview';
import { usePreview } from '../../../link/use-preview';
import { Failure } from '../../../ui/asked';
import { Fact } from '../../../ui/facts';
import { Section } from '../../../ui/page';
import { Muted } from '../../../ui/text';
import { SaveBar } from '../import/save-bar';
import { useSaving, type FormProps } from '../import/saving';
import { NameField } from '../name-field';
import { Choices } from './choices';
import { Columns } from './columns';
import { askedOf, EMPTY, figuresInWords, type Answer, type Draft } from './draft';
import { Files } from './files';

/** Typing goes on for so long before the files are read again. */
const RESTS_MS = 250;

/** So much of the recording is drawn at first. */
const MOST_PREVIEW_S = 600;

const NONE: readonly DocumentLine[] = [];

/** What the API makes of the draft. */
function useReading(draft: Draft) {
  const now = useMemo(() => askedOf(draft), [draft]);
  const [asked] = useDebouncedValue(now, RESTS_MS);
  const query = api.useQuery(
    'post',
    '/api/v1/recordings',
    { body: asked ?? { files: [] } },
    { enabled: asked !== null, placeholderData: keepPreviousData, staleTime: Infinity, retry: false },
  );
  const answer: Answer | null = draft.files.length > 0 ? (query.data ?? null) : null;
  const error: unknown = draft.files.length > 0 ? query.error : null;
  return { answer, error, late: query.isPlaceholderData || query.isFetching };
}

/** Makes a link of what was measured: a drive test, traces, what ping, irtt or iperf3 said. */
export function RecordingForm(props: FormProps) {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const { answer, error, late } = useReading(draft);
  const [name, setName] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const toml = error === null && !late ? (answer?.toml ?? null) : null;
  const called = name ?? nameFrom((draft.files[0]?.name ?? '').replace(/\.[a-z]{2,5}$/i, ''));
  const there = useDocuments('links').data ?? NONE;
  const wrongName = nameProblem(called) ?? takenProblem(called, there, 'link');
  const saving = useSaving(props, draft.files.length > 0);
  const figures = answer?.figures ?? null;
  return (
    <form
      noValidate
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        setTried(true);
        if (toml !== null && wrongName === null) void saving.save(called, toml);
      }}
    >
      <Stack gap="lg">
        <Files files={draft.files} answer={answer} onFiles={(files) => setDraft({ ...draft, files })} />
        {error !== null && <Failure title="The files could not be read" error={error} />}
        {error === null &&
          answer?.files
            .filter(({ columns }) => columns.length > 0)
            .map((file) => <Columns key={file.name} file={file} draft={draft} onDraft={setDraft} />)}
        {answer !== null && (
          <Choices
            draft={draft}
            questions={answer.questions}
            silent={[figures?.down, figures?.up].some((way) => (way?.without_rate ?? 0) > 0)}
            onDraft={setDraft}
          />
        )}
        {figures !== null && answer !== null && <Told answer={answer} figures={figures} />}
        {answer !== null && (
          <>
            <Preview toml={toml} seconds={figures?.length_s ?? null} />
            <Section title="The link">
              <NameField
                one="link"
                name={called}
                taken={saving.taken}
                wrong={tried || called !== '' ? wrongName : null}
                onChange={(typed) => {
                  setName(typed);
                  saving.setRefused(null);
                }}
              />
              <TextInput
                label="Title"
                description="In one line"
                maw={620}
                placeholder={`Recorded: ${draft.files.map((file) => file.name).join(', ')}`}
                value={draft.title}
                onChange={(event) => setDraft({ ...draft, title: event.currentTarget.value })}
              />
            </Section>
          </>
        )}
        <SaveBar saving={saving} disabled={toml === null} />
      </Stack>
    </form>
  );
}

interface ToldProps {
  readonly answer: Answer;
  readonly figures: NonNullable<Answer['figures']>;
}

/** What the files come to, and what was assumed. */
function Told({ answer, figures }: ToldProps) {
  return (
    <Section title="What was read">
      <Group component="dl" gap="lg" my={0}>
        {figuresInWords(figures, formatRate).map(([word, value]) => (
          <Fact key={word} name={word}>
            <b>{value}</b>
          </Fact>
        ))}
      </Group>
      <List size="sm" c="dimmed">
        {answer.notes.map((note) => (
          <List.Item key={note}>{note}</List.Item>
        ))}
      </List>
    </Section>
  );
}

/** What happens on the link, from where a run begins. */
function Preview({ toml, seconds }: { readonly toml: string | null; readonly seconds: number | null }) {
  const [repetition, setRepetition] = useState(1);
  const span = Math.min(MOST_PREVIEW_S, Math.max(1, Math.ceil(seconds ?? 1)));
  const state = usePreview({ toml, seed: '1', repetition, seconds: span });
  if (toml === null) return <Muted>A preview follows when all is told.</Muted>;
  if (state.preview === null) return null;
  return (
    <Section title={`The first ${span} s, as the engine plays it`}>
      <LinkPreview
        state={state}
        window={{ from: ns(0), to: ns(span * 1e9) }}
        repetition={repetition}
        onRepetition={setRepetition}
      />
    </Section>
  );
}
