import {
  Accordion,
  Button,
  Fieldset,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { TomlTable, TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import { metricTitle, METRICS } from '../../lib/metrics';
import { isTable } from '../../link/script';
import { withValue, type Draft } from './draft';
import { NumberEntry } from './number-entry';
import { isAt, messageAt, problemsAt } from './documents';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  /** The links of the experiment, by the names that its text has. */
  readonly links: readonly string[];
  readonly problems: readonly Problem[];
}

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

/** Sentences that the report decides. */
export function ClaimsSection({ draft, change, links, problems }: Props) {
  const claims = claimsOf(draft.rest['claim']);
  const set = (next: readonly TomlTable[]) => {
    change({ rest: withValue(draft.rest, 'claim', next.length === 0 ? undefined : [...next]) });
  };
  const wrong =
    problemsAt(problems, 'claim').length > 0 ||
    problems.some(({ key }) => key?.startsWith('claim[') === true);
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="claims">
        <Accordion.Control>
          <Text fw={600}>Claims</Text>
          <Text size="sm" c={wrong ? 'var(--mantine-color-error)' : 'dimmed'}>
            {wrong
              ? 'Some values here are not valid'
              : claims.length === 0
                ? 'None; a claim is a sentence that the report decides'
                : `The report decides ${claims.length}`}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            {claims.map((claim, i) => (
              <ClaimFields
                key={i}
                at={i}
                claim={claim}
                variants={[...draft.variants, ...draft.live]}
                links={links}
                problems={problems.filter(({ key }) => isAt(key, `claim[${i}]`))}
                onChange={(next) => {
                  set(claims.map((old, at) => (at === i ? next : old)));
                }}
                onRemove={() => {
                  set(claims.filter((_, at) => at !== i));
                }}
              />
            ))}
            <Button
              variant="default"
              size="sm"
              style={{ alignSelf: 'flex-start' }}
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => {
                set([...claims, freshClaim(claims, [...draft.variants, ...draft.live])]);
              }}
            >
              Add a claim
            </Button>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

interface FieldsProps {
  readonly at: number;
  readonly claim: TomlTable;
  readonly variants: readonly string[];
  readonly links: readonly string[];
  readonly problems: readonly Problem[];
  readonly onChange: (claim: TomlTable) => void;
  readonly onRemove: () => void;
}

function ClaimFields({ at: place, claim, variants, links, problems, onChange, onRemove }: FieldsProps) {
  const at = `claim[${place}]`;
  const field = (key: string) => ({
    value: textOf(claim[key]),
    error: messageAt(problems, `${at}.${key}`),
  });
  const set = (key: string, value: TomlValue | undefined) => {
    onChange(withValue(claim, key, value));
  };
  const within = claim['relation'] === 'within';
  const number = 'value' in claim ? claim['value'] : undefined;
  const choices = (none: string, said: TomlValue | undefined) => [
    { value: '', label: none },
    ...[...new Set([...links, textOf(said)])].filter((name) => name !== ''),
  ];
  return (
    <Fieldset legend={`Claim ${place + 1}`} p="sm">
      <Stack gap="sm">
        <TextInput
          label="In words"
          {...field('text')}
          onChange={({ currentTarget }) => {
            set('text', currentTarget.value);
          }}
        />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
          <Select
            label="Metric"
            searchable
            allowDeselect={false}
            data={METRIC_CHOICES}
            {...field('metric')}
            onChange={(value) => {
              set('metric', value ?? '');
            }}
          />
          <Select
            label="of"
            allowDeselect={false}
            data={[...new Set([...variants, textOf(claim['left'])])].filter((name) => name !== '')}
            {...field('left')}
            onChange={(value) => {
              set('left', value ?? '');
            }}
          />
          <Select
            label="Relation"
            allowDeselect={false}
            data={RELATIONS}
            {...field('relation')}
            onChange={(value) => {
              const next = withValue(claim, 'relation', value ?? '<');
              onChange(
                withValue(next, 'tolerance', value === 'within' ? (claim['tolerance'] ?? '5 %') : undefined),
              );
            }}
          />
          <Select
            label="Against"
            allowDeselect={false}
            data={[
              { value: 'variant', label: 'that of a variant' },
              { value: 'number', label: 'a number' },
            ]}
            value={number !== undefined ? 'number' : 'variant'}
            onChange={(what) => {
              const without = ['right', 'right_link', 'factor', 'value'].reduce<TomlTable>(
                (table, key) => withValue(table, key, undefined),
                claim,
              );
              onChange(
                what === 'number'
                  ? withValue(without, 'value', 0)
                  : withValue(without, 'right', variants.find((name) => name !== claim['left']) ?? ''),
              );
            }}
          />
          {number !== undefined ? (
            <NumberEntry
              label="Number"
              description="in the metric’s unit"
              value={number}
              error={field('value').error}
              onChange={(value) => {
                set('value', value ?? '');
              }}
            />
          ) : (
            <Select
              label="that of"
              allowDeselect={false}
              data={[...new Set([...variants, textOf(claim['right'])])].filter((name) => name !== '')}
              {...field('right')}
              onChange={(value) => {
                set('right', value ?? '');
              }}
            />
          )}
          {within && (
            <TextInput
              label="Nearly: within"
              description="a fraction of the other value"
              {...field('tolerance')}
              onChange={({ currentTarget }) => {
                set('tolerance', currentTarget.value);
              }}
            />
          )}
          {!within && number === undefined && claim['relation'] !== '~' && (
            <NumberEntry
              label="Times"
              description="the other value"
              placeholder="1"
              value={claim['factor']}
              error={field('factor').error}
              onChange={(value) => {
                set('factor', value);
              }}
            />
          )}
          <Select
            label="Statistic"
            description="over the repetitions"
            allowDeselect={false}
            data={[{ value: '', label: 'Default (the median)' }, ...STATISTICS]}
            {...field('statistic')}
            onChange={(value) => {
              set('statistic', value === '' || value === null ? undefined : value);
            }}
          />
          <Select
            label="Divided by"
            description="run by run"
            searchable
            allowDeselect={false}
            data={[{ value: '', label: 'Nothing' }, ...METRIC_CHOICES]}
            {...field('per')}
            onChange={(value) => {
              set('per', value === '' || value === null ? undefined : value);
            }}
          />
          <Select
            label="On the link"
            description="that it is about"
            allowDeselect={false}
            data={choices('Every one', claim['link'])}
            {...field('link')}
            onChange={(value) => {
              set('link', value === '' || value === null ? undefined : value);
            }}
          />
          {number === undefined && (
            <Select
              label="The other’s link"
              description="if different"
              allowDeselect={false}
              data={choices('The same', claim['right_link'])}
              {...field('right_link')}
              onChange={(value) => {
                set('right_link', value === '' || value === null ? undefined : value);
              }}
            />
          )}
          <TextInput
            label="Its own name"
            description="a-z, digits, hyphens"
            {...field('id')}
            onChange={({ currentTarget }) => {
              set('id', currentTarget.value);
            }}
          />
        </SimpleGrid>
        <TextInput
          label="Note"
          description="Why it is not reproduced here, if it is not"
          {...field('note')}
          onChange={({ currentTarget }) => {
            set('note', currentTarget.value === '' ? undefined : currentTarget.value);
          }}
        />
        {messageAt(problems, at) !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)">
            {problems.map(({ message }) => message).join(' ')}
          </Text>
        )}
        <Group>
          <Button size="xs" variant="default" onClick={onRemove}>
            Delete claim {place + 1}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

function claimsOf(value: TomlValue | undefined): readonly TomlTable[] {
  return Array.isArray(value) ? value.filter((one): one is TomlTable => isTable(one)) : [];
}

function textOf(value: TomlValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
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
