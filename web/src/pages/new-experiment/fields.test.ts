import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { freshTable } from '../../lib/schema-table';
import { CLAIM_KEYS, DELAYED_ACK, FORM_KEYS, TCP_FIELDS, TEXT_KEYS } from './fields';

interface Property {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly (string | null)[];
  readonly oneOf?: readonly Property[];
  readonly const?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

const schema = JSON.parse(
  readFileSync(new URL('../../../../schema/experiment.json', import.meta.url), 'utf8'),
) as {
  readonly properties: Readonly<Record<string, Property>>;
  readonly $defs: Readonly<Record<string, Property>>;
};

function defined(property: Property): Property {
  return property.$ref === undefined ? property : schema.$defs[property.$ref.replace('#/$defs/', '')];
}

/** The settings of `[tcp]` that are no tables of kinds, by their path. */
function settings(): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>();
  for (const [key, property] of Object.entries(defined(schema.properties['tcp']).properties ?? {})) {
    const inner = defined(property);
    if (inner.properties)
      for (const [below, one] of Object.entries(inner.properties)) found.set(`${key}.${below}`, defined(one));
    else found.set(key, inner);
  }
  return found;
}

/** The words that a property may have; none if it is no choice. */
function words({ enum: listed, oneOf }: Property): readonly string[] {
  const choices = listed ?? oneOf?.map((one) => one.const ?? null) ?? [];
  return choices.filter((word) => word !== null);
}

describe('the form’s settings of [tcp], against the schema of files', () => {
  const schemas = settings();

  it('are all that there are, and no others', () => {
    const fields = [...TCP_FIELDS.map(({ path }) => path), 'delayed_ack'];
    expect([...fields].sort()).toEqual([...schemas.keys()].sort());
  });

  it.each(TCP_FIELDS.map((field) => [field.path, field] as const))(
    '%s is entered as it is written',
    (path, field) => {
      const property = schemas.get(path) ?? {};
      const choices = words(property);
      if (choices.length > 0) {
        expect(field.kind).toBe('choice');
        expect(field.choices?.map(([word]) => word).sort()).toEqual([...choices].sort());
      } else {
        expect(field.choices).toBeUndefined();
        expect(field.kind).toBe({ boolean: 'switch', integer: 'count', string: 'text' }[property.type ?? '']);
      }
    },
  );

  it('have every kind of delayed acknowledgements, and one of them holds where nothing is said', () => {
    const kinds = (schemas.get('delayed_ack')?.oneOf ?? []).map(
      ({ properties = {} }) => properties['kind'].const,
    );
    expect(DELAYED_ACK.kinds.map(({ name }) => name)).toEqual(kinds);
    expect(kinds).toContain(DELAYED_ACK.usual);
    const within = DELAYED_ACK.kinds.find(({ name }) => name === 'every-second-within');
    expect(within && freshTable(within)).toEqual({
      kind: 'every-second-within',
      earliest: '50 ms',
      latest: '100 ms',
    });
  });
});

describe('the keys of an experiment', () => {
  it('of a claim have a field, all of them', () => {
    const claim = schema.$defs['ClaimFile'].properties ?? {};
    expect([...CLAIM_KEYS, 'each'].sort()).toEqual(Object.keys(claim).sort());
  });

  it('have a field of the form, or are named as the text’s alone', () => {
    expect([...FORM_KEYS, ...TEXT_KEYS].sort()).toEqual(Object.keys(schema.properties).sort());
  });
});
