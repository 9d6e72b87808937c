const ORIGINS: Readonly<Partial<Record<string, string>>> = {
  sender: 'the sender',
  receiver: 'the receiver',
  link: 'the link',
};

/** Who did otherwise first. */
export function originInWords(origin: string): string {
  return ORIGINS[origin] ?? 'not known';
}

/** How much longer B took, with its sign; `null` if no pair tells. */
export function longerInWords(seconds: number | null): string {
  if (seconds === null) return '–';
  const sign = seconds > 0 ? '+' : seconds < 0 ? '−' : '';
  return `${sign}${Math.abs(seconds).toFixed(3)} s`;
}
