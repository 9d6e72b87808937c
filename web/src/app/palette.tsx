import { Kbd, Modal, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';

import { recall, remember } from '../lib/stored';
import { chosenFrom, find, withChosen, type Entry } from './commands';
import { Opening, useOpened } from './opening';
import { useEntries } from './use-entries';
import './palette.css';

/** The command palette: Ctrl K. */
export const palette = new Opening();

export const openPalette = palette.open;

const CHOSEN = 'windlull-chosen';

/** Pages, actions, and all that has a name or a number, found by typing. */
export function Palette() {
  const opened = useOpened(palette);
  return (
    <Modal.Root
      opened={opened}
      onClose={palette.close}
      size="lg"
      yOffset="10dvh"
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Find" radius="md">
        {opened && <Finder />}
      </Modal.Content>
    </Modal.Root>
  );
}

/** A field and the list that it controls, as the combobox of ARIA's authoring practices: the focus stays in the field. */
function Finder() {
  const navigate = useNavigate();
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [place, setPlace] = useState(0);
  const chosen = useMemo(() => chosenFrom(recall(CHOSEN)), []);
  const entries = useEntries(query, chosen);
  const found = useMemo(() => find(entries, query), [entries, query]);
  const selected = Math.min(place, found.length - 1);

  // Before the next key comes: who types on after Ctrl K loses no letter.
  useLayoutEffect(() => field.current?.focus(), []);

  const choose = ({ label, choose, group }: Entry) => {
    palette.close();
    if (typeof choose === 'function') {
      choose();
      return;
    }
    if (group !== 'Actions') remember(CHOSEN, JSON.stringify(withChosen(chosen, { label, to: choose })));
    void navigate(choose);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const moves: Partial<Record<string, number>> = {
      ArrowDown: (selected + 1) % found.length,
      ArrowUp: (selected - 1 + found.length) % found.length,
      PageDown: Math.min(selected + 8, found.length - 1),
      PageUp: Math.max(selected - 8, 0),
    };
    const next = moves[event.key];
    const entry = found.at(selected);
    if (event.key === 'Enter' && entry) choose(entry);
    else if (next !== undefined && found.length > 0) setPlace(next);
    else return;
    event.preventDefault();
  };

  return (
    <div className="palette">
      <TextInput
        data-autofocus
        ref={field}
        size="md"
        role="combobox"
        aria-label="A page, an action, a name or a number"
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${list}-${selected}` : undefined}
        placeholder="A page, an action, a name or a number"
        leftSection={<IconSearch size={18} aria-hidden />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label="Found" className="palette-list">
        {groupsOf(found).map(({ group, items }) => (
          <div key={group} role="group" aria-label={group}>
            <div aria-hidden className="palette-group">
              {group}
            </div>
            {items.map(({ entry, i }) => (
              <Line
                key={entry.id}
                id={`${list}-${i}`}
                entry={entry}
                selected={i === selected}
                onChoose={() => choose(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <Text c="dimmed" ta="center" pb="lg" px="md">
          No match for all of these words. Try fewer.
        </Text>
      )}
      <VisuallyHidden role="status">
        {found.length === 1 ? '1 line' : `${found.length} lines`} found
      </VisuallyHidden>
    </div>
  );
}

interface LineProps {
  readonly id: string;
  readonly entry: Entry;
  readonly selected: boolean;
  readonly onChoose: () => void;
}

function Line({ id, entry, selected, onChoose }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected) line.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={selected}
      className="palette-line"
      onMouseDown={(event) => {
        // The focus stays in the field.
        event.preventDefault();
      }}
      onClick={onChoose}
    >
      <entry.icon size={18} stroke={1.6} aria-hidden className="palette-icon" />
      <span className="palette-words">
        <span className="palette-label">{entry.label}</span>
        {entry.about !== undefined && <span className="palette-about">{entry.about}</span>}
      </span>
      {entry.keys?.split(' ').map((key) => (
        <Kbd key={key} aria-hidden>
          {key}
        </Kbd>
      ))}
    </div>
  );
}

/** The entries in their groups, each with its place in the whole list. */
function groupsOf(found: readonly Entry[]) {
  const groups: {
    readonly group: string;
    readonly items: { readonly entry: Entry; readonly i: number }[];
  }[] = [];
  found.forEach((entry, i) => {
    const last = groups.at(-1);
    if (last?.group === entry.group) last.items.push({ entry, i });
    else groups.push({ group: entry.group, items: [{ entry, i }] });
  });
  return groups;
}
