/** A table of JSON. */
export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A table of JSON; of anything else an empty one. */
export const record = (value: unknown): Json => (isRecord(value) ? value : {});

export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const texts = (value: unknown): readonly string[] =>
  list(value).filter((one) => typeof one === 'string');
