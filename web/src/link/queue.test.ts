import { readFileSync } from 'node:fs';

import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import {
  plainQueue,
  QUEUE_KINDS,
  queueDraft,
  queueProblems,
  QUEUES,
  queuesIn,
  queueText,
  SWITCHES,
  withQueue,
  type QueueDraft,
} from './queue';

interface Branch {
  readonly properties: Readonly<
    Record<string, { readonly const?: string; readonly type?: string | string[] }>
  >;
  readonly required: readonly string[];
}

/** What the engine reads, as its schema says. */
function branches(): readonly Branch[] {
  const schema = JSON.parse(readFileSync('../schema/link.json', 'utf8')) as {
    $defs: { QueueFile: { oneOf: Branch[] } };
  };
  return schema.$defs.QueueFile.oneOf;
}

const round = (draft: QueueDraft) => queueDraft(parse(`queue = ${queueText(draft)}`)['queue']);

describe('the form of a queue', () => {
  it('has the disciplines and keys that the engine reads, no more and no fewer', () => {
    expect(branches().map(({ properties }) => properties['kind'].const)).toEqual([...QUEUE_KINDS]);
    for (const { properties, required } of branches()) {
      const kind = properties['kind'].const as (typeof QUEUE_KINDS)[number];
      const { fields, switches } = QUEUES[kind];
      const keys = [...fields.map(({ key }) => key), ...Object.keys(switches)];
      expect([...keys, 'kind'].sort()).toEqual(Object.keys(properties).sort());
      const needed = fields.filter(({ without }) => without === null).map(({ key }) => key);
      expect([...needed, 'kind'].sort()).toEqual([...required].sort());
      for (const key of Object.keys(switches)) {
        expect(properties[key].type).toBe('boolean');
        expect(SWITCHES).toHaveProperty(key);
      }
    }
  });

  it('writes what differs from the defaults, and reads it again', () => {
    expect(queueText(plainQueue('100 packets'))).toBe('{ kind = "droptail", limit = "100 packets" }');
    const red: QueueDraft = {
      kind: 'red',
      texts: { limit: '64 kB', minimum: '5 packets ', maximum: '', interval: '1 s' },
      switches: { gentle: false, ecn: true },
    };
    expect(queueText(red)).toBe(
      '{ kind = "red", limit = "64 kB", minimum = "5 packets ", gentle = false, ecn = true }',
    );
    expect(round(red)).toEqual({
      kind: 'red',
      texts: { limit: '64 kB', minimum: '5 packets ' },
      switches: { gentle: false, ecn: true },
    });
    expect(queueText({ ...red, switches: { gentle: true, ecn: false } })).not.toContain('ecn');
    const fair: QueueDraft = { kind: 'fq-codel', texts: { limit: '64 kB', flows: '16' }, switches: {} };
    expect(queueText(fair)).toBe('{ kind = "fq-codel", limit = "64 kB", flows = 16 }');
    expect(round(fair)).toEqual(fair);
    const dual: QueueDraft = { kind: 'dualpi2', texts: { limit: '64 kB', coupling: '3' }, switches: {} };
    expect(queueText(dual)).toBe('{ kind = "dualpi2", limit = "64 kB", coupling = 3 }');
    expect(round(dual)).toEqual(dual);
    expect(queueText({ ...fair, texts: { flows: 'many', limit: '1' } })).toContain('flows = "many"');
    // The engine says what is wrong with an empty limit: the key stays.
    expect(queueText(plainQueue(''))).toBe('{ kind = "droptail", limit = "" }');
    expect(round(plainQueue('a "b" \\'))).toEqual(plainQueue('a "b" \\'));
  });

  it('refuses a table that it would lose something of', () => {
    expect(queueDraft({ kind: 'red', limit: '9 kB', weight: 0.002 })?.texts['weight']).toBe('0.002');
    for (const table of [
      {},
      { kind: 'cake' },
      { kind: 'codel', other: '1' },
      { kind: 'codel', ecn: 'yes' },
      'x',
    ]) {
      expect(queueDraft(table)).toBeNull();
    }
  });
});

const LINK = `title = "A {brace}"
queue = { kind = "droptail", limit = "1 packet" }   # not of a direction

[both]                    # alike
rate  = "1 Mbit/s"
queue = { kind = "droptail", limit = "50 packets" } # {as} measured
[ up ]
  queue={kind="codel",limit="}",ecn=true}
[[script]]
queue = { kind = "droptail", limit = "2 packets" }
[down]
queue = { kind = "droptail",
`;

describe('queues in the text of a link', () => {
  it('are found where a form can change them', () => {
    expect(queuesIn(LINK).map(({ place, draft }) => [place, draft.kind])).toEqual([
      ['both', 'droptail'],
      ['up', 'codel'],
    ]);
    expect(queuesIn(LINK)[1]?.draft).toEqual({
      kind: 'codel',
      texts: { limit: '}' },
      switches: { ecn: true },
    });
  });

  it('change, and nothing else does', () => {
    const draft: QueueDraft = { kind: 'pie', texts: { limit: '64 kB' }, switches: { ecn: true } };
    const changed = withQueue(LINK, 'both', draft);
    expect(changed).toBe(
      LINK.replace(
        '{ kind = "droptail", limit = "50 packets" } # {as}',
        '{ kind = "pie", limit = "64 kB", ecn = true } # {as}',
      ),
    );
    expect(queuesIn(changed)[0]?.draft).toEqual(draft);
    expect(withQueue(changed, 'up', draft)).toContain(
      '  queue={ kind = "pie", limit = "64 kB", ecn = true }\n',
    );
    expect(withQueue(LINK, 'down', draft)).toBe(LINK);
  });

  it('have what is wrong with them at their fields', () => {
    const problems = [
      { key: 'both.queue.minimum', message: 'a' },
      { key: 'both.queue', message: 'b' },
      { key: 'up.queue.limit', message: 'c' },
      { key: 'both.rate', message: 'd' },
      { message: 'e' },
    ];
    expect(queueProblems(problems, 'both')).toEqual({ minimum: 'a', '': 'b' });
    expect(queueProblems(problems, null)).toEqual({ minimum: 'a', '': 'b', limit: 'c' });
  });
});
