import { DataError } from './error';
import { Json } from './json';
import type { Codes, Numbers } from './types';

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

/** Columns of one length, of which the first is the time. Reads and checks them, and names the place of what is wrong. */
export class Table {
  readonly length: number;
  readonly t: Numbers;
  readonly #json: Json;

  constructor(json: Json, order: 'ascending' | 'any', timeKey = 't') {
    this.#json = json;
    const time = json.get(timeKey);
    this.t = undelta(numberList(time), time.path);
    this.length = this.t.length;
    if (order === 'ascending') {
      for (let i = 1; i < this.length; i++) {
        if (this.t[i] < this.t[i - 1])
          new Json(this.t[i], `${time.path}[${i}]`).fail('a time not before the last');
      }
    }
  }

  numbers(key: string): Numbers {
    const column = this.#json.get(key);
    const values = undelta(numberList(column), column.path);
    this.#requireLength(column, values.length);
    return values;
  }

  codes(key: string, count: number): Codes {
    const values = this.numbers(key);
    for (let i = 0; i < values.length; i++) {
      if (values[i] < -1 || values[i] >= count) {
        new Json(values[i], `${this.#json.path}.${key}[${i}]`).fail(`a code below ${count}, or -1`);
      }
    }
    return new Int16Array(values);
  }

  strings(key: string): readonly string[] {
    const values = this.#json
      .get(key)
      .list()
      .map((element) => element.string());
    this.#requireLength(this.#json.get(key), values.length);
    return values;
  }

  #requireLength(column: Json, length: number): void {
    if (length !== this.length) {
      throw new DataError(`${column.path}: has ${length} values where the other columns have ${this.length}`);
    }
  }
}

/** An array as it is: a million elements are checked where they are decoded, not wrapped one by one. */
function numberList(json: Json): readonly number[] {
  if (!Array.isArray(json.value)) json.fail('an array');
  return json.value as number[];
}
