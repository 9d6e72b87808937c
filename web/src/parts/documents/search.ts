import type { DocumentLine } from '../../api/documents';
import { hasWords } from '../../lib/find';

/** The documents in which every word occurs: in name, title, description or source. `origin` narrows to `own` or `shipped`. */
export function found(
  lines: readonly DocumentLine[],
  words: string,
  origin: string,
): readonly DocumentLine[] {
  return lines.filter((line) => {
    if ((origin === 'own' || origin === 'shipped') && line.origin !== origin) return false;
    return hasWords(`${line.name} ${line.title} ${line.description} ${line.source}`, words);
  });
}
