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

  /** The members of an object, in order. */
  entries(): [string, Json][] {
    return Object.keys(this.object()).map((key) => [key, this.get(key)]);
  }

  /** The elements of an array. */
  list(): Json[] {
    if (!Array.isArray(this.value)) this.fail('an array');
    return (this.value as unknown[]).map((element, i) => new Json(element, `${this.path}[${i}]`));
  }

  string(): string {
    if (typeof this.value !== 'string') this.fail('a string');
    return this.value as string;
  }

  number(): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) this.fail('a number');
    return this.value as number;
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') this.fail('true or false');
    return this.value as boolean;
  }

  /** A string, or the number that someone wrote instead of one (seeds). */
  text(): string {
    return typeof this.value === 'number' ? String(this.value) : this.string();
  }

  optional<T>(read: (json: Json) => T): T | null {
    return this.present ? read(this) : null;
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
