import {
  Button,
  Fieldset,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ChangeEvent, useState } from 'react';
import type { TomlTable, TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import { METRICS, metricTitle } from '../../lib/metrics';
import { SignButton } from '../../ui/buttons';
import { Wrong } from '../../ui/text';
import { same } from '../../lib/toml-edit';
import { claimsOf } from './draft';
import { textOf, withValue } from '../../lib/values';
import { Folded } from '../../ui/folded';
import { isAt, messageAt, problemsAt } from '../../api/problems';
import { claimsOver, type Inherited } from './inherited';
import { From, useForm } from './use-form';
import { numberOf, shownNumber } from './numbers';

const RELATIONS = [
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is not more than' },
  { value: '>', label: 'is more than' },
  { value: '>=', label: 'is not less than' },
  { value: 'within', label: 'is nearly' },
  { value: '~', label: 'is not told apart from' },
];

const METRIC_CHOICES = METRICS.map((metric) => ({ value: metric.name, label: metricTitle(metric) }));

const STATISTICS = [
  { value: 'median', label: 'The median' },
  { value: 'mean', label: 'The mean' },
  { value: 'q1', label: 'The first quartile' },
  { value: 'q3', label: 'The third quartile' },
  { value: 'min', label: 'The smallest' },
  { value: 'max', label: 'The largest' },
];

const AGAINST = [
  { value: 'variant', label: 'that of a variant' },
  { value: 'number', label: 'a number' },
];

/** What may be left out: what it is then, and what there is besides; the links, unless told. */
const CHOICES = [
  {
    key: 'statistic',
    label: 'Statistic',
    description: 'over the repetitions',
    none: 'Default (the median)',
    data: STATISTICS,
  },
  {
    key: 'per',
    label: 'Divided by',
    description: 'run by run',
    none: 'Nothing',
    data: METRIC_CHOICES,
    searchable: true,
  },
  { key: 'link', label: 'On the link', description: 'that it is about', none: 'Every one', data: null },
  {
    key: 'right_link',
    label: 'The other’s link',
    description: 'if different',
    none: 'The same',
    data: null,
  },
];

/** Sentences that the report decides. */
export function ClaimsSection() {
  const { draft, set: setAt, own, below, inherited: of, problems } = useForm();
  const mine = claimsOf(own('claim'));
  const claims = claimsOver(own('claim'), below('claim'));
  const set = (next: readonly TomlTable[]) => setAt('claim', next.length === 0 ? undefined : [...next]);
  const without = (at: number | null) => set(mine.filter((_, i) => i !== at));
  const wrong =
    problemsAt(problems, 'claim').length > 0 ||
    problems.some(({ key }) => key?.startsWith('claim[') === true);
  return (
    <Folded
      id="claims"
      title="Claims"
      about={
        claims.length === 0
          ? 'None; a claim is a sentence that the report decides'
          : `The report decides ${claims.length}`
      }
      wrong={wrong}
    >
      <Stack gap="md">
        {claims.map(({ claim, inherited, own: at }, i) =>
          at === null ? (
            <InheritedClaim
              key={i}
              at={i}
              claim={claim}
              from={claimFrom(of, claim)}
              onChange={() => set([...mine, { id: claim['id'] ?? '' }])}
            />
          ) : (
            <ClaimFields
              key={i}
              at={i}
              claim={claim}
              from={inherited && claimFrom(of, claim)}
              problems={problems.filter(({ key }) => isAt(key, `claim[${i}]`))}
              onChange={(next) => {
                const changed = inherited ? differing(next, inherited) : next;
                set(mine.map((old, other) => (other === at ? changed : old)));
              }}
              onRemove={() => without(at)}
            />
          ),
        )}
        <SignButton
          size="sm"
          style={{ alignSelf: 'flex-start' }}
          sign={IconPlus}
          onClick={() =>
            set([
              ...mine,
              freshClaim(
                claims.map(({ claim }) => claim),
                [...draft.variants, ...draft.live],
              ),
            ])
          }
        >
          Add a claim
        </SignButton>
      </Stack>
    </Folded>
  );
}

/** What a claim says differently from the inherited one of its id. */
function differing(claim: TomlTable, inherited: TomlTable): TomlTable {
  const told = Object.entries(claim).filter(([key, value]) => key === 'id' || !same(value, inherited[key]));
  return Object.fromEntries(told);
}

/** The experiment that a claim is inherited from. */
function claimFrom({ layers }: Inherited, { id }: TomlTable): string | null {
  const from = layers.find(({ table }) => claimsOf(table['claim']).some((claim) => claim['id'] === id));
  return from?.name ?? null;
}

interface InheritedProps {
  readonly at: number;
  readonly claim: TomlTable;
  readonly from: string | null;
  readonly onChange: () => void;
}

/** A claim as it is inherited. */
function InheritedClaim({ at, claim, from, onChange }: InheritedProps) {
  return (
    <Fieldset legend={`Claim ${at + 1}`} p="sm">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Stack gap={0}>
          <Text size="sm" c="dimmed">
            {textOf(claim['text'])}
          </Text>
          {from !== null && <From name={from} />}
        </Stack>
        <Button size="xs" style={{ flexShrink: 0 }} onClick={onChange}>
          Change claim {at + 1}
        </Button>
      </Group>
    </Fieldset>
  );
}

interface FieldsProps {
  readonly at: number;
  readonly claim: TomlTable;
  /** The experiment from which it has what it does not say itself, its name among that. */
  readonly from: string | null;
  readonly problems: readonly Problem[];
  readonly onChange: (claim: TomlTable) => void;
  readonly onRemove: () => void;
}

function ClaimFields({ at: place, claim, from, problems, onChange, onRemove }: FieldsProps) {
  const { draft, outcome } = useForm();
  const variants = [...draft.variants, ...draft.live];
  // By the names that the experiment’s text has.
  const links = outcome.link ? [outcome.link.name] : draft.links;
  const at = `claim[${place}]`;
  const { typed, chosen, counted } = entriesOf(claim, (key) => messageAt(problems, `${at}.${key}`), onChange);
  const ofThese = (names: readonly string[], key: string) =>
    [...new Set([...names, textOf(claim[key])])].filter((name) => name !== '');
  const number = 'value' in claim ? claim['value'] : undefined;
  return (
    <Fieldset legend={`Claim ${place + 1}`} p="sm">
      <Stack gap="sm">
        <TextInput label="In words" {...typed('text')} />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
          <Select label="Metric" searchable data={METRIC_CHOICES} {...chosen('metric')} />
          <Select label="of" data={ofThese(variants, 'left')} {...chosen('left')} />
          <Select
            label="Relation"
            data={RELATIONS}
            {...chosen('relation')}
            onChange={(value) => onChange(withRelation(claim, value ?? '<'))}
          />
          <Select
            label="Against"
            data={AGAINST}
            value={number !== undefined ? 'number' : 'variant'}
            onChange={(what) => onChange(against(claim, what === 'number', variants))}
          />
          {number !== undefined ? (
            <NumberEntry label="Number" description="in the metric’s unit" {...counted('value', '')} />
          ) : (
            <Select label="that of" data={ofThese(variants, 'right')} {...chosen('right')} />
          )}
          {claim['relation'] === 'within' ? (
            <TextInput
              label="Nearly: within"
              description="a fraction of the other value"
              {...typed('tolerance')}
            />
          ) : (
            number === undefined &&
            claim['relation'] !== '~' && (
              <NumberEntry
                label="Times"
                description="the other value"
                placeholder="1"
                {...counted('factor')}
              />
            )
          )}
          {CHOICES.filter(({ key }) => key !== 'right_link' || number === undefined).map(
            ({ key, none, data, ...words }) => (
              <Select
                key={key}
                {...words}
                data={[{ value: '', label: none }, ...(data ?? ofThese(links, key))]}
                {...chosen(key, 'left out')}
              />
            ),
          )}
          <TextInput
            label="Its own name"
            description="a-z, digits, hyphens"
            readOnly={from !== null}
            {...typed('id')}
          />
        </SimpleGrid>
        <TextInput
          label="Note"
          description="Why it is not reproduced here, if it is not"
          {...typed('note', 'left out')}
        />
        {messageAt(problems, at) !== undefined && (
          <Wrong>{problems.map(({ message }) => message).join(' ')}</Wrong>
        )}
        <Group>
          <Button size="xs" onClick={onRemove}>
            {from === null ? `Delete claim ${place + 1}` : `Inherit claim ${place + 1} unchanged`}
          </Button>
          {from !== null && <From name={from} changed />}
        </Group>
      </Stack>
    </Fieldset>
  );
}

/** What the fields of a claim show, and how they change it. `left out`: the key is not there while nothing is given. */
function entriesOf(
  claim: TomlTable,
  errorOf: (key: string) => string | undefined,
  onChange: (claim: TomlTable) => void,
) {
  const set = (key: string, value: TomlValue | undefined) => onChange(withValue(claim, key, value));
  const given = (key: string, value: string | null, without: 'left out' | undefined) =>
    set(key, without && !value ? undefined : (value ?? ''));
  const field = (key: string) => ({ value: textOf(claim[key]), error: errorOf(key) });
  return {
    typed: (key: string, without?: 'left out') => ({
      ...field(key),
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => given(key, value, without),
    }),
    chosen: (key: string, without?: 'left out') => ({
      ...field(key),
      onChange: (value: string | null) => given(key, value, without),
    }),
    counted: (key: string, without?: '') => ({
      value: claim[key],
      error: errorOf(key),
      onChange: (value: TomlValue | undefined) => set(key, value ?? without),
    }),
  };
}

/** The claim with another relation; only one of nearness has a tolerance. */
function withRelation(claim: TomlTable, relation: string): TomlTable {
  const tolerance = relation === 'within' ? (claim['tolerance'] ?? '5 %') : undefined;
  return withValue(withValue(claim, 'relation', relation), 'tolerance', tolerance);
}

/** The claim against a number, or against another variant. */
function against(claim: TomlTable, number: boolean, variants: readonly string[]): TomlTable {
  const without = ['right', 'right_link', 'factor', 'value'].reduce<TomlTable>(
    (table, key) => withValue(table, key, undefined),
    claim,
  );
  return number
    ? withValue(without, 'value', 0)
    : withValue(without, 'right', variants.find((name) => name !== claim['left']) ?? '');
}

/** A claim that is right as it stands, if there are two variants to compare. */
function freshClaim(claims: readonly TomlTable[], variants: readonly string[]): TomlTable {
  const [right = '', left = ''] = variants;
  const ids = new Set(claims.map(({ id }) => id));
  let n = claims.length + 1;
  while (ids.has(`claim-${n}`)) n++;
  const metric = 'unnecessary_retransmissions';
  return {
    id: `claim-${n}`,
    text: `${left} retransmits less without need than ${right}`,
    metric,
    left,
    relation: '<',
    right,
  };
}

interface Props extends Pick<TextInputProps, 'label' | 'description' | 'placeholder'> {
  readonly value: TomlValue | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: TomlValue | undefined) => void;
}

/** A number as it is typed: `0.0` on the way to `0.05` stays, though it is 0 already. */
function NumberEntry({ value, onChange, ...others }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...others}
      inputMode="decimal"
      value={shownNumber(typed, value)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onChange(numberOf(text));
      }}
    />
  );
}
