import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import { type SubmitEvent, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { IconAlertTriangle } from '@tabler/icons-react';

import {
  type DocumentLine,
  type DocumentView,
  readDocument,
  useDocuments,
  useKeeper,
} from '../../api/documents';
import { nameProblem, takenProblem } from '../../lib/document-name';
import { ApiFailure, type Problem } from '../../api/failure';
import { useTextHistory } from '../../link/use-text-history';
import { TomlEditor } from '../../toml/editor';
import { useValidation } from '../../toml/use-validation';
import { LinkButton } from '../../ui/buttons';
import { Failure } from '../../ui/asked';
import { to } from '../../ui/links';
import { notifyDone } from '../../ui/notify';
import { Page } from '../../ui/page';
import { useUnsaved } from '../../ui/use-unsaved';
import { Moment } from '../../ui/moment';
import { Notice } from '../../ui/text';
import { PROFILES, type ProfileShelf } from './kinds';
import { LinkEditor } from './link-form/link-editor';
import { NameField } from './name-field';
import { VerdictPanel } from './verdict-panel';

/** What an editor begins with. */
export type Beginning =
  | { readonly how: 'new'; readonly toml: string }
  | { readonly how: 'copy'; readonly toml: string; readonly of: string }
  | { readonly how: 'change'; readonly toml: string; readonly name: string; readonly revision: number };

interface Props {
  readonly shelf: ProfileShelf;
  readonly beginning: Beginning;
}

interface Refused {
  readonly error: unknown;
  /** The text that was refused: what the controller found wrong stands in that one. */
  readonly toml: string;
}

const NONE: readonly DocumentLine[] = [];

/** A profile while it is edited: its text and name, what is wrong with them, and what saves them. */
function useEditing({ shelf, beginning: given }: Props) {
  const { kind, one } = PROFILES[shelf];
  // Events read the document anew while it is edited: what was begun with stays.
  const [beginning] = useState(given);
  const own = beginning.how === 'change' ? beginning.name : null;
  const text = useTextHistory(beginning.toml);
  const { text: toml, change: setToml } = text;
  const [chosen, setChosen] = useState('');
  const [touched, setTouched] = useState(false);
  const [base, setBase] = useState(beginning.how === 'change' ? beginning : null);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [theirs, setTheirs] = useState<DocumentView | null>(null);
  const keeper = useKeeper(shelf);
  const navigate = useNavigate();

  const name = own ?? chosen;
  const there = useDocuments(shelf).data ?? NONE;
  // Once it is saved it is there itself.
  const isNew = own === null && !busy && saved === null;
  const wrongName =
    own === null ? (nameProblem(chosen) ?? (isNew ? takenProblem(chosen, there, one) : null)) : null;
  const taken = refused?.error instanceof ApiFailure && refused.error.code === 'exists';
  const verdict = useValidation(kind, toml, { name: wrongName === null ? name : null });
  const unsaved = saved === null && (toml !== (base?.toml ?? beginning.toml) || chosen !== '');
  useUnsaved(unsaved, own === null ? `the new ${one}` : `your changes of ${own}`);

  const save = async (revision = base?.revision) => {
    setTouched(true);
    if (wrongName !== null) return;
    setBusy(true);
    setRefused(null);
    try {
      await (revision === undefined ? keeper.create(name, toml) : keeper.change(name, toml, revision));
      setSaved(name);
      notifyDone(`The ${one} ${name} is saved`);
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'changed-meanwhile') {
        await readDocument(shelf, name).then(setTheirs, () => setRefused({ error, toml }));
      } else setRefused({ error, toml });
    } finally {
      setBusy(false);
    }
  };

  // Once this is rendered nothing is unsaved any more, and leaving asks nobody.
  useEffect(() => {
    if (saved !== null) void navigate(to.document(kind, saved), { replace: true });
  }, [saved, kind, navigate]);

  const problems: readonly Problem[] =
    refused?.toml === toml && refused.error instanceof ApiFailure && refused.error.problems.length > 0
      ? refused.error.problems
      : verdict.problems;
  const take = (text: DocumentView) => {
    if (text.revision !== null) setBase({ how: 'change', name, toml: text.toml, revision: text.revision });
    setToml(text.toml);
    setTheirs(null);
  };
  const overwrite = (text: DocumentView) => {
    setTheirs(null);
    void save(text.revision ?? undefined);
  };
  const choose = (next: string) => {
    setChosen(next);
    setRefused(null);
  };
  const touch = () => {
    if (chosen !== '') setTouched(true);
  };
  return {
    ...{ beginning, own, name, chosen, choose, touch, text, busy, problems, verdict, save },
    ...{ refused, taken: taken && refused.toml === toml, theirs, take, overwrite },
    refusedOtherwise: refused !== null && !taken ? refused.error : null,
    wrongName,
    shownWrong: touched || chosen !== '' ? wrongName : null,
  };
}

/** The editor of a profile's text and name, with what the engine thinks of it. */
export function Editing(props: Props) {
  const { shelf } = props;
  const { kind, title, one } = PROFILES[shelf];
  const editing = useEditing(props);
  const { beginning, own } = editing;
  const heading =
    beginning.how === 'change'
      ? `Edit ${beginning.name}`
      : beginning.how === 'copy'
        ? `Copy of ${beginning.of}`
        : `New ${one}`;
  const back = own ?? (beginning.how === 'copy' ? beginning.of : null);
  return (
    <Page
      title={heading}
      above={[
        { label: title, to: to.documents(kind) },
        ...(back === null ? [] : [{ label: back, to: to.document(kind, back) }]),
      ]}
      about={
        beginning.how === 'copy'
          ? `It becomes a ${one} of your own; ${beginning.of} stays as it is.`
          : undefined
      }
    >
      <form
        noValidate
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void editing.save();
        }}
      >
        <Stack>
          {own === null && (
            <NameField
              one={one}
              name={editing.chosen}
              wrong={editing.shownWrong}
              taken={editing.taken}
              onBlur={editing.touch}
              onChange={editing.choose}
            />
          )}
          <Editor
            {...{ shelf, editing }}
            leaveTo={back === null ? to.documents(kind) : to.document(kind, back)}
          />
        </Stack>
      </form>
    </Page>
  );
}

interface EditorProps {
  readonly shelf: ProfileShelf;
  readonly editing: ReturnType<typeof useEditing>;
  /** Where those go who do not save. */
  readonly leaveTo: string;
}

/** The text: of a link with a form and its timeline. */
function Editor({ shelf, editing, leaveTo }: EditorProps) {
  const { one } = PROFILES[shelf];
  const { beginning, text, problems, verdict, theirs, busy } = editing;
  const { wrongName } = editing;
  const name = wrongName === null ? editing.name : null;
  const file = `${shelf}/${name ?? 'untitled'}.toml`;
  const notices = (
    <>
      {editing.refusedOtherwise !== null && (
        <Failure title="It was not saved" error={editing.refusedOtherwise} />
      )}
      {theirs !== null && (
        <Conflict
          one={one}
          theirs={theirs}
          busy={busy}
          onMine={() => editing.overwrite(theirs)}
          onTheirs={() => editing.take(theirs)}
        />
      )}
    </>
  );
  const actions = (
    <>
      <Button type="submit" loading={busy} disabled={theirs !== null} variant="filled">
        Save
      </Button>
      <LinkButton to={leaveTo}>Leave</LinkButton>
    </>
  );
  if (shelf === 'links') {
    const template = beginning.how === 'new' ? beginning.toml : '';
    return <LinkEditor {...{ template, text, problems, verdict, name, wrongName, file, notices, actions }} />;
  }
  return (
    <>
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <TomlEditor
            label={`The ${one} as TOML`}
            value={text.text}
            onChange={(next) => text.change(next, 'toml')}
            problems={problems}
            file={file}
            minHeight="22rem"
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <VerdictPanel shelf={shelf} verdict={verdict} where="in the text" wrongName={wrongName} />
        </Grid.Col>
      </Grid>
      {notices}
      <Group>{actions}</Group>
    </>
  );
}

interface ConflictProps {
  readonly one: string;
  /** As it is on the controller now. */
  readonly theirs: DocumentView;
  readonly busy: boolean;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** Somebody saved another text meanwhile: shows it below one's own, and asks which one is to stay. */
function Conflict({ one, theirs, busy, onMine, onTheirs }: ConflictProps) {
  return (
    <Notice role="alert" color="yellow" sign={IconAlertTriangle} title={`This ${one} was changed meanwhile`}>
      <Stack gap="sm">
        <Text size="sm" c="var(--mantine-color-text)">
          Revision {theirs.revision ?? ''} was saved
          {theirs.updated_at !== null && (
            <>
              {' '}
              <Moment at={theirs.updated_at} />
            </>
          )}
          , in another window or by another person. This is their text, yours stands in the editor; nothing is
          lost until you choose. You can also copy parts of theirs into yours, and then save yours.
        </Text>
        <TomlEditor label="Theirs, as saved" value={theirs.toml} readOnly minHeight="6rem" />
        <Group>
          <Button loading={busy} onClick={onMine}>
            Save mine in its place
          </Button>
          <Button disabled={busy} onClick={onTheirs}>
            Take theirs, drop mine
          </Button>
        </Group>
      </Stack>
    </Notice>
  );
}
