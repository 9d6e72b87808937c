/** A span or instant in words: `12.340 s`, `310 ms`, `45 µs`. */
export function formatTime(value: number, decimals = 3): string {
  const size = Math.abs(value);
  if (value === 0) return '0 s';
  if (size >= 1e9) return `${(value / 1e9).toFixed(decimals)} s`;
  if (size >= 1e6) return `${trim((value / 1e6).toFixed(size >= 1e8 ? 0 : 1))} ms`;
  if (size >= 1e3) return `${trim((value / 1e3).toFixed(1))} µs`;
  return `${value} ns`;
}

/** An instant of a run, always in seconds so that instants compare: `12.340 s`. */
export function formatInstant(value: number, decimals = 3): string {
  return `${(value / 1e9).toFixed(decimals)} s`;
}

/** How many decimals of a second tell instants apart in a drawing of so many nanoseconds. */
export function decimalsOfInstants(span: number): number {
  return span >= 1e9 ? 3 : span >= 1e6 ? 6 : 9;
}

/** A number of octets: `256 B`, `7.2 kB`, `1.4 MB`. */
export function formatOctets(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trim((value / 1e9).toFixed(2))} GB`;
  if (size >= 1e6) return `${trim((value / 1e6).toFixed(2))} MB`;
  if (size >= 1e4) return `${trim((value / 1e3).toFixed(1))} kB`;
  return `${groupThousands(value)} B`;
}

/** A bit rate: `28.8 kbit/s`. */
export function formatRate(value: number): string {
  if (value >= 1e9) return `${trim((value / 1e9).toFixed(2))} Gbit/s`;
  if (value >= 1e6) return `${trim((value / 1e6).toFixed(2))} Mbit/s`;
  if (value >= 1e3) return `${trim((value / 1e3).toFixed(2))} kbit/s`;
  return `${trim(value.toFixed(1))} bit/s`;
}

/** A whole number with commas between groups of three, as in tables of the command and in reports: `102,400`. */
export function groupThousands(value: number): string {
  return grouped(String(Math.round(value)));
}

/** A written number with commas between groups of three before its point: `1,234.5678`. */
export function grouped(text: string): string {
  const [whole, ...decimals] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

/** `1 timeout`, `2 timeouts`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${groupThousands(count)} ${count === 1 ? one : many}`;
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** With a capital letter at its beginning. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
