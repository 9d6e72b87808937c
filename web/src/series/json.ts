import { DataError } from './error';

/** A value of parsed JSON that knows where it stands, so that an error can say so. */
export class Json {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path: string) {
    this.value = value;
    this.path = path;
  }

  /** Parses a text. */
  static parse(text: string, path: string): Json {
    try {
      return new Json(JSON.parse(text), path);
    } catch (error) {
      throw new DataError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Whether there is anything but null here. */
  get present(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** A member of an object. */
  get(key: string): Json {
    const object = this.object();
    return new Json(object[key], `${this.path}.${key}`);
  }

  object(): Record<string, unknown> {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value))
      this.fail('an object');
    return this.value as Record<string, unknown>;
  }

  /** The elements of an array. */
  list(): Json[] {
    return this.array().map((element, i) => this.at(i, element));
  }

  /** An array as it is: a million elements are checked where they are decoded, not wrapped one by one. */
  array(): readonly unknown[] {
    if (!Array.isArray(this.value)) this.fail('an array');
    return this.value as unknown[];
  }

  /** What stands at a place of an array, or was made of it. */
  at(i: number, value: unknown): Json {
    return new Json(value, `${this.path}[${i}]`);
  }

  string(): string {
    if (typeof this.value !== 'string') this.fail('a string');
    return this.value as string;
  }

  number(): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) this.fail('a number');
    return this.value as number;
  }

  optional<T>(read: (json: Json) => T): T | null {
    return this.present ? read(this) : null;
  }

  /** Refuses what is none of some words. */
  among(words: readonly string[]): void {
    if (!words.some((word) => word === this.value)) this.fail(`one of ${words.join(', ')}`);
  }

  fail(expected: string): never {
    throw new DataError(`${this.path}: expected ${expected}, found ${describe(this.value)}`);
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
