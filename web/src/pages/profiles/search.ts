import type { DocumentLine } from '../../api/documents';

/** The documents in which every word occurs: in name, title or source. `origin` narrows to `own` or `shipped`. */
export function found(
  lines: readonly DocumentLine[],
  words: string,
  origin: string,
): readonly DocumentLine[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return lines.filter((line) => {
    if ((origin === 'own' || origin === 'shipped') && line.origin !== origin) return false;
    const text = `${line.name} ${line.title} ${line.source}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
