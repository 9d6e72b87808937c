import type { Schema } from '../api/client';

type Round = Schema<'RoundView'>;

/** A moment of a schedule's clock, as `Tue, 3 Mar, 02:30`; in the reader's own time. */
export function momentInWords(at: string): string {
  return new Date(at).toLocaleString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** When a cron expression comes: in words, and the next times in the reader's own. */
export function inWords({ words, next }: Schema<'TimesView'>): string {
  const times = next.map(momentInWords);
  const [first, second] = [times.at(0), times.at(1)];
  if (first === undefined) return words;
  return `${words}. Next: ${first}${second === undefined ? '' : `, then ${second}`} (your time).`;
}

export type Outcome =
  'waiting' | 'running' | 'skipped' | 'failed' | 'passed' | 'undecided' | 'unjudged' | 'no gate' | 'first';

/** What came of a round, in a word: the gate's verdict if there is one. */
export function outcomeOf({ state, gate, reason }: Pick<Round, 'state' | 'gate' | 'reason'>): Outcome {
  if (state !== 'ended') return state;
  switch (gate?.verdict) {
    case 'pass':
      return 'passed';
    case 'fail':
      return 'failed';
    case 'inconclusive':
      return 'undecided';
    case 'unjudged':
      return 'unjudged';
    case null:
      return reason === null ? 'first' : 'failed';
    default:
      return reason === null ? 'no gate' : 'failed';
  }
}

const CAUSES = { time: 'its time came', trigger: 'on request', hook: 'a push' } as const;

/** Why there was a round. */
export function causeOf({ cause, commit }: Pick<Round, 'cause' | 'commit'>): string {
  return commit === null ? CAUSES[cause] : `${CAUSES[cause]}, ${commit.slice(0, 12)}`;
}

/** What became of a notice. */
export function noticeInWords({ state, attempts, answer }: Schema<'NoticeView'>): string {
  const said = answer === null ? '' : `: ${answer}`;
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  if (state === 'delivered') return `delivered${said}`;
  if (state === 'given-up') return `given up after ${tries}${said}`;
  return attempts === 0 ? 'about to be sent' : `not taken yet, ${tries}${said}`;
}
