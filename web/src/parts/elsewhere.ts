import { api, type Schema } from '../api/client';
import { useDocument } from '../api/documents';
import { writing, type TextFile } from '../lib/shell';

/** What a shell elsewhere needs, so that a command finds the experiment of a batch there. */
export interface Elsewhere {
  /** Lines that write its files; none where it is shipped. */
  readonly before: readonly string[];
  /** What stands before the command; null where it is shipped. */
  readonly environment: string | null;
  /** Whether its files have to be saved by hand, as the lines would be too long, or the files are gone. */
  readonly byHand: boolean;
}

const SHIPPED: Elsewhere = { before: [], environment: null, byHand: false };

/** Characters of all files beyond which nobody wants to paste them. */
const MOST = 100_000;

/** What commands about a batch need elsewhere; null until that is known. */
export function useElsewhere(batch: Schema<'BatchView'>): Elsewhere | null {
  const { id, experiment, imported } = batch;
  // One that is not here any more was not shipped, so that its failure answers as well.
  const document = useDocument('experiments', experiment);
  const shipped = document.data?.origin === 'shipped' && !imported;
  const files = api.useQuery(
    'get',
    '/api/v1/batches/{id}/files',
    { params: { path: { id } } },
    { enabled: !document.isPending && !shipped },
  );
  if (document.isPending) return null;
  if (shipped) return SHIPPED;
  return files.isPending ? null : elsewhereOf(id, files.data?.files ?? []);
}

/** What commands need of an experiment that was made from these files. */
export function elsewhereOf(batch: number, files: readonly TextFile[]): Elsewhere {
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  if (files.length === 0 || size > MOST)
    return { before: [], environment: 'WINDLULL_PROFILES=profiles', byHand: true };
  const folder = `batch-${batch}`;
  return { before: writing(folder, files), environment: `WINDLULL_PROFILES=${folder}`, byHand: false };
}

/** The command with what it needs there. */
export function inShell({ before, environment }: Elsewhere, command: string): string {
  return [...before, environment === null ? command : `${environment} ${command}`].join('\n');
}
