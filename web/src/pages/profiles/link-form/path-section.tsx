import { SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { TomlTable } from 'smol-toml';

import { problemsAt } from '../../../api/problems';
import { isRecord, record } from '../../../lib/json';
import { freshTable, type FormTable, type TableField, type TableKind } from '../../../lib/schema-table';
import { valueAt, withValue } from '../../../lib/values';
import {
  freePlaces,
  isPlain,
  PATH_FIELDS,
  PATH_TABLES,
  PLACES,
  tablesIn,
  valueOf,
  type PlacedTable,
} from '../../../link/fields';
import { DIRECTIONS } from '../../../link/kinds';
import type { Direction } from '../../../link/script';
import { plural } from '../../../lib/format';
import { Folded } from '../../../ui/folded';
import { FormSection } from '../../../ui/form-section';
import { Muted, Wrong } from '../../../ui/text';
import { valueText } from '../resolved';
import { AddMenu } from './add-menu';
import { TableCard } from './table-card';
import { hintOf, ofBase, useLink } from './use-link';

/** What every link must have, in this order. */
const FIRST = ['rate', 'delay'];
const MAIN = [...FIRST, 'queue'];

const mainField = (key: string) => PATH_FIELDS.find((field) => field.key === key);
const MAIN_FIELDS = FIRST.flatMap((key) => mainField(key) ?? []);
const OTHER_FIELDS = PATH_FIELDS.filter(({ key }) => !MAIN.includes(key));
const QUEUE = PATH_TABLES.filter(({ key }) => key === 'queue');
const VARYING = PATH_TABLES.filter(({ key }) => FIRST.includes(key));
const OTHER_TABLES = PATH_TABLES.filter(({ key }) => !MAIN.includes(key));

/** Rate, delay and queue of both directions, or of each. */
export function PathSection() {
  const { link } = useLink();
  const tables = tablesIn(link);
  return (
    <FormSection
      step={2}
      title="Rate, delay and queue"
      about="Of both directions alike, or of each: what stands under down or up holds there in place of both."
    >
      {MAIN_FIELDS.map((field) => (
        <PathRow key={field.key} field={field} />
      ))}
      <Placed tables={tables.filter(({ table }) => FIRST.includes(table.key))} />
      {VARYING.map((table) => (
        <AddKind key={table.key} label={`Add a ${table.label.toLowerCase()}`} table={table} />
      ))}
      <Placed tables={tables.filter(({ table }) => table.key === 'queue')} />
      <NoQueue />
      {QUEUE.map((table) => (
        <AddKind key={table.key} label="Add a queue" table={table} />
      ))}
    </FormSection>
  );
}

/** What the link layer does besides. Few links need it. */
export function LinkLayerSection() {
  const { link, problems } = useLink();
  const tables = tablesIn(link).filter(({ table }) => !MAIN.includes(table.key));
  const keys = [...OTHER_FIELDS, ...OTHER_TABLES].map(({ key }) => key);
  const values = OTHER_FIELDS.flatMap(({ key }) => PLACES.filter((place) => key in record(link[place])));
  const said = tables.length + values.length;
  const places = keys.flatMap((key) => PLACES.map((place) => `${place}.${key}`));
  return (
    <Folded
      id="link-layer"
      title="Link layer"
      about={
        said === 0
          ? 'Retransmission, grants, contention, framing; one packet after another without them'
          : `${plural(said, 'setting')} here`
      }
      wrong={problemsAt(problems, ...places).length > 0}
      opened={said > 0}
    >
      <Stack gap="md">
        {OTHER_FIELDS.map((field) => (
          <PathRow key={field.key} field={field} />
        ))}
        <Placed tables={tables} />
        <AddTable label="Add to the link layer" tables={OTHER_TABLES} />
      </Stack>
    </Folded>
  );
}

/** One value, of both directions and of each. */
function PathRow({ field }: { readonly field: TableField }) {
  const { link, base, at, set, message } = useLink();
  const id = useId();
  const { key, label, about, hint } = field;
  return (
    <Stack gap={6} role="group" aria-labelledby={id} aria-describedby={`${id}-about`}>
      <Stack gap={0}>
        <Text size="sm" fw={600} id={id}>
          {label}
        </Text>
        <Text size="xs" c="dimmed" id={`${id}-about`}>
          {about}
        </Text>
      </Stack>
      <SimpleGrid cols={3} spacing="xs">
        {PLACES.map((place) => {
          const value = at([place, key]);
          const varies = isRecord(value);
          const below = hintOf({ link, base }, place, key);
          return (
            <TextInput
              key={place}
              label={<Sign place={place} />}
              size="sm"
              placeholder={below !== '' ? below : place === 'both' ? hint : ''}
              value={varies ? 'varies' : isPlain(value) ? String(value) : ''}
              readOnly={varies}
              error={message(`${place}.${key}`)}
              title={isPlain(value) && String(value).length > 20 ? String(value) : undefined}
              onChange={({ currentTarget }) =>
                set([place, key], valueOf(field, currentTarget.value), `${place}.${key}`)
              }
            />
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}

function Sign({ place }: { readonly place: Direction }) {
  return (
    <Text span size="xs" c="dimmed">
      <span aria-hidden>{DIRECTIONS[place].sign} </span>
      {place}
    </Text>
  );
}

/** Tables of the directions, each of which can go to another direction. */
function Placed({ tables }: { readonly tables: readonly PlacedTable[] }) {
  const { link, change } = useLink();
  return tables.map(({ place, table, said }) => {
    const path = [place, table.key];
    const free = new Set(freePlaces(link, table.key));
    const move = (to: string) => {
      if (to !== place) change(withValue(withValue(link, path, undefined), [to, table.key], said));
    };
    return (
      <TableCard
        key={`${place}.${table.key}`}
        table={table}
        path={path}
        title={table.label}
        of={place}
        about={table.about}
        kindLabel="Kind"
        beside={
          <SegmentedControl
            size="xs"
            aria-label={`Direction of ${table.label}, ${place}`}
            data={PLACES.map((value) => ({
              value,
              label: `${DIRECTIONS[value].sign} ${value}`,
              disabled: value !== place && !free.has(value),
            }))}
            value={place}
            onChange={move}
          />
        }
      />
    );
  });
}

/** Where a table can be added: in place of a value, else where nothing is said yet. */
function placeFor(link: TomlTable, key: string): Direction | undefined {
  const open = PLACES.filter((place) => !isRecord(valueAt(link, [place, key])));
  return open.find((place) => isPlain(valueAt(link, [place, key]))) ?? open.at(0);
}

/** Adds one of the kinds of a table. */
function AddKind({ label, table }: { readonly label: string; readonly table: FormTable }) {
  const { link, at, set } = useLink();
  const { key, kinds } = table;
  const place = placeFor(link, key);
  const add = (kind: TableKind) => {
    const now = place === undefined ? undefined : at([place, key]);
    // A rate that was constant goes on from the beginning.
    const steps = [{ at: '0 s', rate: isPlain(now) && now !== 'unlimited' ? now : '1 Mbit/s' }];
    const stepped = kind.fields.some((field) => field.key === 'steps');
    set([place ?? 'both', key], stepped ? { kind: kind.name, steps } : freshTable(kind));
  };
  return (
    <AddMenu
      label={label}
      choices={place === undefined ? [] : kinds.map((kind) => ({ ...kind, key: kind.name, kind }))}
      onAdd={({ kind }) => add(kind)}
    />
  );
}

/** Adds one of several tables. */
function AddTable({ label, tables }: { readonly label: string; readonly tables: readonly FormTable[] }) {
  const { link, set } = useLink();
  return (
    <AddMenu
      label={label}
      choices={tables.filter(({ key }) => placeFor(link, key) !== undefined)}
      onAdd={({ key, kinds }) => set([placeFor(link, key) ?? 'both', key], freshTable(kinds[0]))}
    />
  );
}

/** Where the link says no queue: which one it inherits, or that it needs one. */
function NoQueue() {
  const { link, base, message } = useLink();
  const missing = PLACES.map((place) => message(`${place}.queue`)).find((one) => one !== undefined);
  if (tablesIn(link).some(({ table }) => table.key === 'queue')) return null;
  const [down, up] = [ofBase(base, 'down', 'queue'), ofBase(base, 'up', 'queue')];
  const [downText, upText] = [valueText(down), valueText(up)];
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Queue
      </Text>
      {base !== null && down !== undefined && (
        <Muted>
          As {base.name}: {downText === upText ? downText : `${downText} down; ${upText} up`}
        </Muted>
      )}
      {missing !== undefined && <Wrong role="alert">{missing}</Wrong>}
    </Stack>
  );
}
