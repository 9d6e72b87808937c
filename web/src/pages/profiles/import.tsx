import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState, type SubmitEvent } from 'react';
import { Link, useNavigate } from 'react-router';

import { useDocuments, useKeeper, type DocumentLine } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { ns } from '../../lib/brand';
import { LinkPreview } from '../../link/preview';
import { plainQueue, queueProblems } from '../../link/queue';
import { QueueFields } from '../../link/queue-fields';
import { usePreview } from '../../link/use-preview';
import { useValidation } from '../../toml/use-validation';
import { Failure, Problems } from '../../ui/failure';
import { to } from '../../ui/links';
import { notifyDone } from '../../ui/notify';
import { Page } from '../../ui/page';
import { Section } from '../../ui/section';
import { useUnsaved } from '../../ui/use-unsaved';
import { FileSlot, type Given } from './import/file-slot';
import { Shapes } from './import/shapes';
import { fieldsOf } from './import/fields';
import { givesDelay, givesRate, linkText, MOST_LETTERS, upTo, type Direction } from './import/link-text';
import type { Recording } from './import/read-file';
import { nameFrom, NAME_RULES, nameProblem, takenProblem } from './name';

const PREVIEW_S = 60;

const NONE: readonly DocumentLine[] = [];

/** Makes a link of what was recorded: a Mahimahi trace, a rate over time, delays. */
export function Component() {
  const [files, setFiles] = useState<Readonly<Record<Direction, Given | null>>>({ down: null, up: null });
  const [name, setName] = useState<string | null>(null);
  const [title, setTitle] = useState<string | null>(null);
  const [rate, setRate] = useState('1 Mbit/s');
  const [delay, setDelay] = useState('50 ms');
  const [queue, setQueue] = useState(plainQueue('100 packets'));
  const [first, setFirst] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  const [refused, setRefused] = useState<unknown>(null);
  const [repetition, setRepetition] = useState(1);
  const keeper = useKeeper('links');
  const navigate = useNavigate();

  const given = [files.down, files.up].filter((file) => file !== null);
  const unread = given.some(({ read }) => 'wrong' in read);
  const suggested = nameFrom((given[0]?.file ?? '').replace(/\.[a-z]{2,5}$/i, ''));
  const called = name ?? suggested;
  const there = useDocuments('links').data ?? NONE;
  const wrongName = nameProblem(called) ?? takenProblem(called, there, 'link');
  const seconds = first.trim() === '' ? null : Number(first);
  const wrongFirst =
    seconds !== null && !(seconds > 0) ? 'A number of seconds above 0, or nothing for all of it.' : null;
  const cut = wrongFirst === null ? seconds : null;
  const heading =
    title ?? (given.length > 0 ? `Recorded: ${given.map(({ file }) => file).join(' and ')}` : '');

  const recordings = useMemo(() => {
    const of = (file: Given | null): Recording | null => {
      if (file === null || 'wrong' in file.read) return null;
      return cut === null ? file.read.recording : upTo(file.read.recording, cut);
    };
    return { down: of(files.down), up: of(files.up) };
  }, [files, cut]);
  const toml = linkText({
    title: heading,
    source: `Imported from ${given.map(({ file }) => file).join(' and ')}`,
    recordings,
    rate,
    delay,
    queue,
  });
  const tooLong =
    toml.length > MOST_LETTERS
      ? `Too long as a link (${toml.length} characters, limit ${MOST_LETTERS}). Import fewer seconds.`
      : null;
  const verdict = useValidation('link', tooLong === null ? toml : '', {
    name: wrongName === null ? called : null,
  });
  const problems = tooLong === null ? verdict.problems : [];
  const fields = fieldsOf(problems);
  const missing =
    given.length === 0
      ? 'Give a file for at least one direction.'
      : unread
        ? 'A file could not be read: correct it, choose its format, or remove it.'
        : null;
  const text = missing === null && tooLong === null && wrongFirst === null ? toml : null;
  const state = usePreview({
    toml: verdict.state === 'valid' ? text : null,
    seed: '1',
    repetition,
    seconds: PREVIEW_S,
  });
  useUnsaved(saved === null && given.length > 0, 'what you imported');
  useEffect(() => {
    if (saved !== null) void navigate(to.profile('link', saved), { replace: true });
  }, [saved, navigate]);

  const save = async () => {
    setTried(true);
    if (text === null || wrongName !== null) return;
    setBusy(true);
    setRefused(null);
    try {
      await keeper.create(called, text);
      notifyDone(`The link ${called} is saved`);
      setSaved(called);
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const taken = refused instanceof ApiFailure && refused.code === 'exists';
  return (
    <Page
      title="Import a link"
      above={[{ label: 'Links', to: to.profiles('link') }]}
      about="A Mahimahi trace, a rate over time, or measured delays become a link. Files are read here, in the browser; what is saved is a link like any other."
    >
      <form
        noValidate
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void save();
        }}
      >
        <Stack gap="lg">
          <Shapes />
          {(['down', 'up'] as const).map((direction) => (
            <FileSlot
              key={direction}
              direction={direction}
              given={files[direction]}
              onGiven={(file) => {
                setFiles((old) => ({ ...old, [direction]: file }));
              }}
            />
          ))}
          {tried && missing !== null && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {missing}
            </Text>
          )}
          <Section title="The rest of the link">
            <Group align="flex-start" grow preventGrowOverflow={false}>
              {!(givesRate(recordings.down) && givesRate(recordings.up)) && (
                <TextInput
                  miw={220}
                  label="Rate"
                  description="Where no file gives it"
                  value={rate}
                  error={fields.rate}
                  onChange={(event) => {
                    setRate(event.currentTarget.value);
                  }}
                />
              )}
              {!(givesDelay(recordings.down) && givesDelay(recordings.up)) && (
                <TextInput
                  miw={220}
                  label="Delay"
                  description="One way; where no file gives it"
                  value={delay}
                  error={fields.delay}
                  onChange={(event) => {
                    setDelay(event.currentTarget.value);
                  }}
                />
              )}
              <TextInput
                miw={220}
                label="First seconds only"
                description="Empty for the whole recording"
                inputMode="decimal"
                value={first}
                error={wrongFirst ?? tooLong}
                onChange={(event) => {
                  setFirst(event.currentTarget.value);
                }}
              />
            </Group>
            <QueueFields draft={queue} wrong={queueProblems(problems, null)} onChange={setQueue} />
            <TextInput
              label="Name"
              description={NAME_RULES}
              required
              maw={460}
              autoComplete="off"
              spellCheck={false}
              value={called}
              error={
                taken
                  ? `There is a link called ${called} already.`
                  : tried || called !== ''
                    ? wrongName
                    : null
              }
              onChange={(event) => {
                setName(event.currentTarget.value);
                setRefused(null);
              }}
            />
            <TextInput
              label="Title"
              description="In one line"
              required
              maw={620}
              value={heading}
              error={tried || title !== null ? fields.title : null}
              onChange={(event) => {
                setTitle(event.currentTarget.value);
              }}
            />
            {fields.others.length > 0 && <Problems problems={fields.others} />}
            {verdict.state === 'unknown' && (
              <Failure title="The engine could not check it" error={verdict.error} />
            )}
          </Section>
          {state.preview !== null && text !== null && (
            <Section title={`The first ${PREVIEW_S} s, as the engine plays it`}>
              <LinkPreview
                state={state}
                window={{ from: ns(0), to: ns(PREVIEW_S * 1e9) }}
                repetition={repetition}
                onRepetition={setRepetition}
              />
            </Section>
          )}
          {refused !== null && !taken && <Failure title="It was not saved" error={refused} />}
          <Group>
            <Button type="submit" loading={busy}>
              Save link
            </Button>
            <Button component={Link} to={to.profiles('link')} variant="default">
              Leave
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
