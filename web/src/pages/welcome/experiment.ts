import type { Schema } from '../../api/client';
import { quoted } from '../../lib/toml';
import { extendingLink } from '../../link/document';
import type { ScriptEvent } from '../../link/script';
import type { Transfer } from '../../link/transfer';

/** The link that the experiment draws on. */
export const BASE = 'gprs';
export const VARIANTS = ['sack', 'frto+sack', 'eifel+sack'] as const;
export const REPETITIONS = 10;
/**
 * The seed of the experiment and of the preview. With it, the link's random holds are in no repetition where the reader
 * draws, from 10 to 13 s, and in the first one, which the preview shows, there is none at all before 40 s: a test asks the
 * engine.
 */
export const SEED = '8';
/** What the workload of the experiment is, bulk-100-kib-down. */
export const TRANSFER: Transfer = { octets: 102_400, way: 'down' };

/** The names under which the documents are kept, with a number if others have them. */
export const LINK_NAME = 'first-hold';
export const EXPERIMENT_NAME = 'first-experiment';

/** The text of the link with what was drawn. */
export function linkText(events: readonly ScriptEvent[]): string {
  return extendingLink({ title: 'GPRS that holds, as drawn in the first experiment', base: BASE, events });
}

/** The text of the experiment. */
export function experimentText(link: string): string {
  return `title       = "A first experiment: which TCP takes a hold for a loss?"
link        = ${quoted(link)}
variants    = [${VARIANTS.map(quoted).join(', ')}]
workload    = "bulk-100-kib-down"
repetitions = ${REPETITIONS}
seed        = ${SEED}

[tcp]
era         = "2003"                                      # hosts as old as the link
mss         = "256 B"                                     # sarolahti2003, section 5.1: small segments on a slow link
delayed_ack = { kind = "every-second", timer = "200 ms" }
`;
}

/** The repetition of a variant that sent most without need, by what was measured; null if none did. */
export function worstRepetition(results: Schema<'Results'>, variant: string): number | null {
  const summary = results.cells.find((cell) => cell.variant === variant)?.metrics[
    'unnecessary_retransmissions'
  ];
  if (!summary) return null;
  const most = Math.max(...summary.values);
  if (!(most > 0)) return null;
  const at = summary.values.indexOf(most);
  return summary.repetitions?.[at] ?? at + 1;
}

/** The episode of a run to look at: the one whose timeouts led to most unnecessary retransmissions. */
export function tellingEpisode(episodes: readonly Schema<'EpisodeLine'>[]): Schema<'EpisodeLine'> | null {
  const needless = ({ retransmissions }: Schema<'EpisodeLine'>) => retransmissions.unnecessary;
  const troubled = episodes.filter(({ timeouts }) => timeouts > 0);
  return troubled.sort((a, b) => needless(b) - needless(a)).at(0) ?? null;
}
