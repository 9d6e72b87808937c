import type { Engine } from '../contract/types';
import { ns } from '../lib/brand';
import { DataError } from './error';
import { Json } from './json';
import {
  mapTables,
  OPTIONAL_TABLES,
  type Column,
  type Direction,
  type Names,
  type Numbers,
  type Series,
  type Share,
  type TablePath,
  type Tables,
} from './types';

/** The version of the series format that this page reads. */
export const SERIES_VERSION = 1;

/** Verdicts by name, in the order of `Verdict`. */
const VERDICTS = ['original', 'necessary', 'unnecessary', 'unknown'];

/**
 * Decodes the text of a `series.json`, or of a window of one as the service gives it: undoes the delta coding, turns
 * columns into typed arrays and checks that what belongs together has one length and that every code has a name.
 *
 * Throws a `DataError` that names the place.
 */
export function decodeSeries(text: string): Series {
  const root = Json.parse(text, 'series');
  requireVersion(root.get('version'), SERIES_VERSION, 'series');
  const names = { limit: [], ...(root.get('names').value as Engine<'SeriesNames'>) };
  const shares = new Map<TablePath, Share>();
  const tables = mapTables((path, columns) => {
    const table = path.split('.').reduce((json, key) => json.get(key), root);
    if (!table.present && OPTIONAL_TABLES.has(path)) return emptyTable(columns);
    if (root.get('window').present) shares.set(path, table.value as Share);
    return decodeTable(table, columns, names);
  }) as Tables;
  asVerdicts(tables.data.verdict, root.get('names').get('verdict'));
  return {
    ...tables,
    window: root.get('window').optional((window) => ({
      from: ns(window.get('from').number()),
      to: ns(window.get('to').number()),
      pixels: window.get('pixels').number(),
      shares,
    })),
    run: root.get('run').optional((run) => run.value as Engine<'SeriesRun'>),
    dataDirection: hostSends(root.get('data_sender')),
    duration: ns(root.get('duration_ns').number()),
    names,
  };
}

/** Refuses another version with a sentence that says what to do. */
export function requireVersion(version: Json, wanted: number, what: string): void {
  const found = version.number();
  if (found === wanted) return;
  const advice =
    found > wanted
      ? 'open it with a report made by the same, newer Windlull'
      : 'run the experiment again with this Windlull';
  throw new DataError(
    `the ${what} has format version ${found}, this page reads version ${wanted}: ${advice}`,
  );
}

function hostSends(json: Json): Direction {
  const host = json.string();
  if (host === 'server') return 0;
  if (host === 'client') return 1;
  return json.fail('"server" or "client"');
}

/** Codes of verdicts as this page has them; of none, it is not known. */
function asVerdicts(codes: Int16Array, names: Json): void {
  const known = names.list().map((name) => {
    const code = VERDICTS.indexOf(name.string());
    return code >= 0 ? code : name.fail(`one of ${VERDICTS.join(', ')}`);
  });
  codes.forEach((code, i) => (codes[i] = known.at(code) ?? 3));
}

/** A table without rows, of columns that are no texts. */
function emptyTable(columns: Readonly<Record<string, Column>>): unknown {
  const empty = (column: Column) =>
    column === 'times' || column === 'numbers' ? new Float64Array() : new Int16Array();
  return {
    length: 0,
    ...Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, empty(column)])),
  };
}

/** Columns of one length, the times first. */
function decodeTable(table: Json, columns: Readonly<Record<string, Column>>, names: Names): unknown {
  let length: number | null = null;
  const decoded = Object.entries(columns).map(([key, column]) => {
    const json = table.get(key);
    const values = decodeColumn(json, column, names);
    length ??= values.length;
    if (values.length !== length) {
      throw new DataError(`${json.path}: has ${values.length} values where the other columns have ${length}`);
    }
    return [key, values] as const;
  });
  return { length, ...Object.fromEntries(decoded) };
}

function decodeColumn(json: Json, column: Column, names: Names): Numbers | Int16Array | readonly string[] {
  if (column === 'texts') return json.list().map((text) => text.string());
  const values = undelta(json.array() as readonly number[], json.path);
  if (column === 'times') {
    for (let i = 1; i < values.length; i++) {
      if (values[i] < values[i - 1]) json.at(i, values[i]).fail('a time not before the last');
    }
  }
  if (column === 'times' || column === 'times in any order' || column === 'numbers') return values;
  const count = typeof column === 'number' ? column : names[column].length;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < -1 || values[i] >= count) json.at(i, values[i]).fail(`a code below ${count}, or -1`);
  }
  return new Int16Array(values);
}

/** Undoes delta coding: the first value, then differences. */
export function undelta(coded: readonly number[], path: string): Numbers {
  const values = new Float64Array(coded.length);
  let value = 0;
  for (let i = 0; i < coded.length; i++) {
    const step = coded[i];
    if (!Number.isSafeInteger(step)) new Json(step, `${path}[${i}]`).fail('a whole number');
    value += step;
    values[i] = value;
  }
  return values;
}
