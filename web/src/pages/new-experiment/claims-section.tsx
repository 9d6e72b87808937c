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
import { isAt, messageAt, problemsAt } from './settle';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
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

/** Sentences that the report decides. */
export function ClaimsSection({ draft, change, problems }: Props) {
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
              ? 'Something here is not right'
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
                number={i + 1}
                claim={claim}
                variants={[...draft.variants, ...draft.live]}
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
  readonly number: number;
  readonly claim: TomlTable;
  readonly variants: readonly string[];
  readonly problems: readonly Problem[];
  readonly onChange: (claim: TomlTable) => void;
  readonly onRemove: () => void;
}

function ClaimFields({ number, claim, variants, problems, onChange, onRemove }: FieldsProps) {
  const at = `claim[${number - 1}]`;
  const field = (key: string) => ({
    value: textOf(claim[key]),
    error: messageAt(problems, `${at}.${key}`),
  });
  const set = (key: string, value: TomlValue | undefined) => {
    onChange(withValue(claim, key, value));
  };
  const within = claim['relation'] === 'within';
  return (
    <Fieldset legend={`Claim ${number}`} p="sm">
      <Stack gap="sm">
        <TextInput
          label="In words"
          {...field('text')}
          onChange={({ currentTarget }) => {
            set('text', currentTarget.value);
          }}
        />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          <Select
            label="Metric"
            searchable
            allowDeselect={false}
            data={METRICS.map((metric) => ({ value: metric.name, label: metricTitle(metric) }))}
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
            label="that of"
            allowDeselect={false}
            data={[...new Set([...variants, textOf(claim['right'])])].filter((name) => name !== '')}
            {...field('right')}
            onChange={(value) => {
              set('right', value ?? '');
            }}
          />
          {within ? (
            <TextInput
              label="Nearly: within"
              description="a part of the other one"
              {...field('tolerance')}
              onChange={({ currentTarget }) => {
                set('tolerance', currentTarget.value);
              }}
            />
          ) : (
            claim['relation'] !== '~' && (
              <TextInput
                label="Times"
                description="what the other one is multiplied by"
                placeholder="1"
                {...field('factor')}
                onChange={({ currentTarget: { value } }) => {
                  set(
                    'factor',
                    value === '' ? undefined : /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
                  );
                }}
              />
            )
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
        {messageAt(problems, at) !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)">
            {problems.map(({ message }) => message).join(' ')}
          </Text>
        )}
        <Group>
          <Button size="xs" variant="default" onClick={onRemove}>
            Delete claim {number}
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
