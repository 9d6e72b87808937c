/** A span in words, from µs: `12.4 µs`, `3.1 ms`, `1.25 s`; the sign stays. */
export function microseconds(us: number): string {
  const size = Math.abs(us);
  if (size >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
  if (size >= 1e3) return `${(us / 1e3).toFixed(1)} ms`;
  return `${us.toFixed(1)} µs`;
}

/** A part of one in per cent, with as many decimals as small parts need: `2 %`, `0.031 %`. */
export function percent(part: number): string {
  const value = part * 100;
  if (value === 0) return '0 %';
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return `${Number(value.toFixed(decimals))} %`;
}
