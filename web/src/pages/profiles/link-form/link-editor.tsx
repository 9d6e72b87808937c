import './link-form.css';

import { Grid, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { TomlTable } from 'smol-toml';

import { useDocuments } from '../../../api/documents';
import type { Problem } from '../../../api/failure';
import { isScenario } from '../../../lib/scenario';
import { edited, parsed } from '../../../lib/toml-edit';
import { shownKeys } from '../../../link/fields';
import { useNamedLink } from '../../../link/use-named-link';
import type { TextHistory } from '../../../link/use-text-history';
import { TomlEditor } from '../../../toml/editor';
import type { Verdict } from '../../../toml/use-validation';
import { Problems } from '../../../ui/asked';
import { titlesOf } from '../../../ui/document-select';
import { Notice } from '../../../ui/text';
import { ToolButton } from '../../../ui/tool-button';
import { VerdictPanel } from '../verdict-panel';
import { AboutSection } from './about-section';
import { ImpairmentsSection } from './impairments-section';
import { MoreSection } from './more-section';
import { OverTime } from './over-time';
import { LinkLayerSection, PathSection } from './path-section';
import { LinkContext, type Base } from './use-link';

interface Props {
  /** The text that a new link began with; empty of one that was there before. */
  readonly template: string;
  /** The text is the link; the form and the timeline change it. */
  readonly text: TextHistory;
  readonly problems: readonly Problem[];
  readonly verdict: Verdict;
  /** What it is called, if it has a name that could be kept. */
  readonly name: string | null;
  /** Why it has none. */
  readonly wrongName: string | null;
  /** What the engine calls the text. */
  readonly file: string;
  /** What became of saving, and what saves it. */
  readonly notices: ReactNode;
  readonly actions: ReactNode;
}

/** What a text says, or why it cannot be read; what it said last stays. */
function useTable(text: string) {
  const now = useMemo((): { table: TomlTable } | { wrong: string } => {
    try {
      return { table: parsed(text) };
    } catch (error) {
      return { wrong: error instanceof Error ? error.message.split('\n')[0] : String(error) };
    }
  }, [text]);
  const [last, setLast] = useState<TomlTable>('table' in now ? now.table : {});
  if ('table' in now && now.table !== last) setLast(now.table);
  return { table: 'table' in now ? now.table : last, wrong: 'wrong' in now ? now.wrong : null };
}

/** The link that a link extends, once it is known. */
function useBase(extended: unknown): Base | null {
  const name = typeof extended === 'string' && extended !== '' ? extended : null;
  const links = useDocuments('links').data;
  const there = name !== null && (isScenario(name) || links?.some((one) => one.name === name) === true);
  const { table } = useNamedLink(there ? name : null);
  return useMemo(() => (name === null || table === null ? null : { name, table }), [name, table]);
}

/** Undoes and redoes by keys, where no field does it itself. */
function onKey(pressed: KeyboardEvent<HTMLElement>, { undo, redo }: TextHistory): void {
  if (pressed.defaultPrevented || !(pressed.ctrlKey || pressed.metaKey)) return;
  const { target } = pressed;
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if ((isField && !target.readOnly) || (target instanceof HTMLElement && target.isContentEditable)) return;
  const key = pressed.key.toLowerCase();
  const go = key === 'y' || (key === 'z' && pressed.shiftKey) ? redo : key === 'z' ? undo : null;
  if (go === null) return;
  pressed.preventDefault();
  go();
}

/** A link as a form or as its text, with its timeline and what it does over time beside either. */
export function LinkEditor({
  template,
  text,
  problems,
  verdict,
  name,
  wrongName,
  file,
  notices,
  actions,
}: Props) {
  const [mode, setMode] = useState('form');
  const { table, wrong } = useTable(text.text);
  const base = useBase(table['extends']);
  const first = useMemo(() => parsed(template), [template]);
  const links = useDocuments('links').data;
  const titles = useMemo(() => titlesOf(links ?? []), [links]);
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const isShown = useMemo(() => shownKeys(table), [table]);
  const own = problems.filter(({ file: of = null }) => of === null || of === file);
  const elsewhere = problems.filter((problem) => !own.includes(problem) || !isShown(problem.key));
  const change = (next: TomlTable, field?: string) => text.change(edited(text.text, next), field);
  const form = { link: table, change, base, template: first, problems: own, links: titles, name };
  const time = <OverTime {...{ text, base, name }} problems={own} valid={verdict.state === 'valid'} />;
  const panel = (
    <Stack gap="sm">
      <Group>{actions}</Group>
      <VerdictPanel
        shelf="links"
        verdict={verdict}
        where={mode === 'form' ? 'at their fields' : 'in the text'}
        wrongName={wrongName}
      />
      {mode === 'form' && elsewhere.length > 0 && wrong === null && <Problems problems={elsewhere} />}
    </Stack>
  );
  return (
    <Grid gap="lg" align="flex-start" onKeyDown={(pressed) => onKey(pressed, text)}>
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="lg">
          {notices}
          <Group gap="xs">
            <SegmentedControl
              aria-label="How to edit"
              data={[
                { value: 'form', label: 'Form' },
                { value: 'toml', label: 'TOML' },
              ]}
              value={mode}
              onChange={setMode}
            />
            <ToolButton icon={IconArrowBackUp} label="Undo" onClick={text.undo} />
            <ToolButton icon={IconArrowForwardUp} label="Redo" onClick={text.redo} />
          </Group>
          {mode === 'toml' ? (
            <>
              <TomlEditor
                label="The link as TOML"
                value={text.text}
                onChange={(next) => text.change(next, 'toml')}
                problems={problems}
                file={file}
                minHeight="22rem"
              />
              {!wide && time}
            </>
          ) : (
            <LinkContext value={form}>
              {wrong !== null && (
                <Notice role="alert" color="red" title="The form cannot show this text">
                  <Text size="sm">{wrong} Correct it under TOML.</Text>
                </Notice>
              )}
              <fieldset className="plain-fieldset" disabled={wrong !== null}>
                <Stack gap="lg">
                  <AboutSection />
                  <PathSection />
                  {!wide && time}
                  <ImpairmentsSection />
                  <LinkLayerSection />
                  <MoreSection />
                </Stack>
              </fieldset>
            </LinkContext>
          )}
          {!wide && panel}
        </Stack>
      </Grid.Col>
      {wide && (
        <Grid.Col span={5} className="aside-in-sight">
          <Stack gap="md">
            {panel}
            {time}
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  );
}
