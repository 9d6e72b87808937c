/** The number of a run in what somebody typed, as `12` or `run 12`; null if it is none. */
export function runIn(text: string): number | null {
  const number = /^\s*(?:run\s+)?#?([1-9]\d{0,15})\s*$/i.exec(text)?.[1];
  return number === undefined || !Number.isSafeInteger(Number(number)) ? null : Number(number);
}
