/** The number that an address or a field names, of a run, a batch or the like; `null` if it is none. */
export function idIn(text: string): number | null {
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}
