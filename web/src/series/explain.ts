import {
  decimalsOfInstants,
  formatInstant,
  formatOctets,
  formatRate,
  formatTime,
  groupThousands,
} from '../lib/format';
import { lastAtMost, lowerBound } from '../lib/search';
import type { RunIndex } from './run-index';
import { Truth, Verdict, type BandColumns, type Codes } from './types';
import { causeInWords, directionInWords, dropInWords, nameInWords, reasonInWords } from './words';

/** What a colour of an explanation stands for. */
export type Tone = 'plain' | 'good' | 'bad' | 'unknown';

/** A readable account of one thing in the diagram. */
export interface Explanation {
  readonly title: string;
  readonly tone: Tone;
  /** Name and value, one row each. */
  readonly facts: readonly (readonly [string, string])[];
  /** The sentence that matters most. */
  readonly note: string | null;
}

/** How an instant of the run is written. */
export type Clock = (t: number) => string;

/**
 * A clock for an axis whose zero is `origin` and of which `span` is on show: the run's time, as fine as what is seen of
 * it, and behind it that of the axis where the two differ.
 */
export function clockFor(origin: number, span: number): Clock {
  const decimals = decimalsOfInstants(span);
  if (origin === 0) return (t) => formatInstant(t, decimals);
  return (t) => {
    const since = formatInstant(Math.abs(t - origin), decimals);
    return `${formatInstant(t, decimals)} (${t < origin ? '−' : '+'}${since})`;
  };
}

/** An explanation as one text, for screen readers. */
export function explanationText(explanation: Explanation): string {
  const facts = explanation.facts.map(([name, value]) => `${name} ${value}`);
  return [explanation.title, explanation.note, ...facts].filter((part) => part !== null).join('. ');
}

/** Tells the story of one data segment: what, when, why, its fate and whether it had been needed. */
export function explainSegment(index: RunIndex, row: number, clock: Clock = formatInstant): Explanation {
  const { data, names } = index.series;
  const seq = data.seq[row];
  const verdict = data.verdict[row] as Verdict;
  const drop = data.drop[row];
  const number = index.segmentNumber(seq);
  const name = number === null ? 'Data segment' : `Segment ${groupThousands(number)}`;
  const again = verdict === Verdict.Original ? '' : ', sent again';
  const facts: [string, string][] = [
    [
      'octets',
      `${groupThousands(seq)} – ${groupThousands(seq + data.len[row])} (${formatOctets(data.len[row])})`,
    ],
    ['sent', clock(data.t[row])],
    ['fate', fateOf(index, row, clock)],
  ];
  if (data.held[row] > 0 && drop < 0) facts.push(['held', `${formatTime(data.held[row], 2)} by the link`]);
  if (data.cause[row] >= 0) facts.push(['why sent', causeInWords(names.cause[data.cause[row]])]);
  return { title: `${name}${again}`, tone: toneOf(verdict), facts, note: verdictSentence(index, row, clock) };
}

function fateOf(index: RunIndex, row: number, clock: Clock): string {
  const { data, names } = index.series;
  if (data.drop[row] >= 0) return `dropped: ${dropInWords(names.drop[data.drop[row]])}`;
  if (data.arrived[row] < 0) return 'not known to have arrived';
  return `arrived ${clock(data.arrived[row])} (after ${formatTime(data.arrived[row] - data.t[row])})`;
}

function toneOf(verdict: Verdict): Tone {
  if (verdict === Verdict.Necessary) return 'good';
  if (verdict === Verdict.Unnecessary) return 'bad';
  return verdict === Verdict.Unknown ? 'unknown' : 'plain';
}

function verdictSentence(index: RunIndex, row: number, clock: Clock): string | null {
  const { data, names } = index.series;
  const verdict = data.verdict[row] as Verdict;
  if (verdict === Verdict.Original) return null;
  if (verdict === Verdict.Unknown) return 'Verdict unknown: the other end was not captured.';
  const earlier = index.copiesOf(data.seq[row]).filter((copy) => copy < row);
  if (verdict === Verdict.Necessary) {
    const lost = earlier.find((copy) => data.drop[copy] >= 0);
    const why = lost === undefined ? '' : `: ${dropInWords(names.drop[data.drop[lost]])}`;
    return `Necessary: no earlier copy arrived${why}.`;
  }
  const arrived = earlier.find((copy) => data.arrived[copy] >= 0);
  if (arrived === undefined) return 'Unnecessary: every octet arrives in an earlier copy.';
  const which = data.verdict[arrived] === Verdict.Original ? 'the original' : 'an earlier copy';
  const when = clock(data.arrived[arrived]);
  const tense = data.arrived[arrived] <= data.t[row] ? 'had arrived at' : 'arrives at';
  const reason = data.reason[row] >= 0 ? names.reason[data.reason[row]] : '';
  if (reason === 'ack-lost')
    return `Unnecessary: ${which} ${tense} ${when}, but its acknowledgements were lost.`;
  if (data.arrived[arrived] <= data.t[row]) {
    return `Unnecessary: ${which} ${tense} ${when}; the acknowledgement was still under way.`;
  }
  const held = data.held[arrived];
  const hold = held > 0 ? `; the link held it for ${formatTime(held, 1)}` : '';
  return `Unnecessary: ${which} ${tense} ${when}${hold}.`;
}

/** Tells what a timeout was about, whether it was spurious, and what the detector made of it. */
export function explainTimeout(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { timeouts, names } = index.series;
  const truth = timeouts.verdict[i] as Truth | -1;
  const facts: [string, string][] = [
    ['at', clock(timeouts.t[i])],
    ['segment', segmentAt(index, timeouts.una[i])],
    ['timer', `${formatTime(timeouts.rto[i], 2)}${backoff(timeouts.backoff[i])}`],
  ];
  if (timeouts.rule[i] >= 0) facts.push(['by', names.rule[timeouts.rule[i]]]);
  const known = roundTripAt(index, timeouts.t[i]);
  if (known !== null) facts.push(['round trip', known]);
  const answer = answerOf(names.answer, timeouts.answer, i);
  if (answer !== null) {
    const after =
      timeouts.answered[i] >= 0 ? `, after ${formatTime(timeouts.answered[i] - timeouts.t[i], 2)}` : '';
    facts.push(['detector', `says ${answer}${after}${score(truth, answer)}`]);
  }
  const reason = timeouts.reason[i] >= 0 ? `: ${reasonInWords(names.reason[timeouts.reason[i]])}` : '';
  return {
    title: `Timeout ${timeouts.ordinal[i]}`,
    tone: truthTone(truth),
    facts,
    note: `${truthInWords(truth)}${reason}.`,
  };
}

/** What the sender reckoned of the round trip just before an instant; `null` where it had measured none. */
function roundTripAt(index: RunIndex, t: number): string | null {
  const { state } = index.series;
  const i = lowerBound(state.t, t) - 1;
  if (i < 0 || state.srtt[i] < 0) return null;
  const deviation = state.rttvar[i] >= 0 ? `, mean deviation ${formatTime(state.rttvar[i], 2)}` : '';
  return `${formatTime(state.srtt[i], 2)} smoothed${deviation}`;
}

/** `Spurious`, `Genuine` or `Verdict unknown`. */
export function truthInWords(truth: number): string {
  if (truth === Truth.Spurious) return 'Spurious';
  return truth === Truth.Genuine ? 'Genuine' : 'Verdict unknown';
}

/** The colour of a truth. */
export function truthTone(truth: number): Tone {
  if (truth === Truth.Spurious) return 'bad';
  return truth === Truth.Genuine ? 'good' : 'unknown';
}

/** The detector's answer, or `null` where it gave none. */
export function answerOf(names: readonly string[], answers: Codes, i: number): string | null {
  return answers[i] >= 0 ? names[answers[i]] : null;
}

/** Whether an answer agrees with the truth; `null` where that cannot be said. */
export function answerIsRight(truth: number, answer: string | null): boolean | null {
  if (truth !== Truth.Spurious && truth !== Truth.Genuine) return null;
  if (answer !== 'spurious' && answer !== 'genuine') return null;
  return (truth === Truth.Spurious) === (answer === 'spurious');
}

function score(truth: number, answer: string): string {
  const right = answerIsRight(truth, answer);
  if (right === null) return '';
  return right ? ' (right)' : ' (wrong)';
}

function backoff(times: number): string {
  return times > 0 ? `, backed off ${times} ${times === 1 ? 'time' : 'times'}` : '';
}

/** A segment by its first octet, with its number where that is known. */
function segmentAt(index: RunIndex, offset: number): string {
  const number = index.segmentNumber(offset);
  const octet = `octet ${groupThousands(offset)}`;
  return number === null ? `at ${octet}` : `${groupThousands(number)} (${octet})`;
}

export function explainFastRetransmit(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { fast_retransmits: fast } = index.series;
  const truth = fast.verdict[i];
  return {
    title: 'Fast retransmit',
    tone: truthTone(truth),
    facts: [
      ['at', clock(fast.t[i])],
      ['segment', segmentAt(index, fast.una[i])],
    ],
    note: `${truthInWords(truth)}.`,
  };
}

/** Tells what the detector did, and the response that came with it. */
export function explainDetectorStep(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { detector, responses, names, timeouts } = index.series;
  const ordinal = detector.ordinal[i];
  const timeout = timeouts.ordinal.indexOf(ordinal);
  const answer = answerOf(names.answer, detector.answer, i);
  const truth = timeout >= 0 ? timeouts.verdict[timeout] : Truth.Unknown;
  const facts: [string, string][] = [['at', clock(detector.t[i])]];
  if (timeout >= 0) {
    facts.push(['of', `timeout ${ordinal}, ${formatTime(detector.t[i] - timeouts.t[timeout], 2)} before`]);
  }
  if (answer !== null) facts.push(['answer', `${answer}${score(truth, answer)}`]);
  for (let r = 0; answer !== null && r < responses.length; r++) {
    if (responses.ordinal[r] !== ordinal) continue;
    const change = `cwnd ${formatOctets(responses.cwnd_before[r])} to ${formatOctets(responses.cwnd_after[r])}`;
    facts.push(['response', `${responses.name[r]}: ${change}`]);
  }
  const right = answerIsRight(truth, answer);
  return {
    title: answer === null ? 'Detector step' : 'Detector answer',
    tone: right === null ? 'plain' : right ? 'good' : 'bad',
    facts,
    note: detector.rule[i] >= 0 ? names.rule[detector.rule[i]] : null,
  };
}

export function explainAck(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { acks, sacks } = index.series;
  const facts: [string, string][] = [
    ['received', clock(acks.t[i])],
    ['acknowledges', `up to octet ${groupThousands(acks.ack[i])}`],
  ];
  if (index.tellsWindows) {
    const window = formatOctets(acks.edge[i] - acks.ack[i]);
    facts.push(['window', `${window}, up to octet ${groupThousands(acks.edge[i])}`]);
  }
  for (let s = lowerBound(sacks.t, acks.t[i]); s < sacks.length && sacks.t[s] === acks.t[i]; s++) {
    const block = `${groupThousands(sacks.left[s])} – ${groupThousands(sacks.right[s])}`;
    facts.push([sacks.dsack[s] === 1 ? 'D-SACK' : 'SACK', block]);
  }
  return { title: acks.dup[i] === 1 ? 'Duplicate ACK' : 'ACK', tone: 'plain', facts, note: null };
}

/** What a stretch of a bad link is called. */
export type BandKind = 'hold' | 'outage' | 'bad';

const BAND_NOTES: Readonly<Record<BandKind, string>> = {
  hold: 'The link delivers nothing and keeps its packets; it releases them in order afterwards.',
  outage: 'The link loses every packet.',
  bad: 'The loss process is in its bad state.',
};

const BAND_TITLES: Readonly<Record<BandKind, string>> = { hold: 'Hold', outage: 'Outage', bad: 'Bad state' };

export function explainBand(
  index: RunIndex,
  kind: BandKind,
  bands: BandColumns,
  i: number,
  clock: Clock = formatInstant,
): Explanation {
  const name = bands.name[i] >= 0 ? index.series.names.impairment[bands.name[i]] : null;
  return {
    title: `${BAND_TITLES[kind]} of ${formatTime(bands.to[i] - bands.from[i], 2)}`,
    tone: 'plain',
    facts: [
      ['from', clock(bands.from[i])],
      ['to', clock(bands.to[i])],
      ['direction', directionInWords(bands.direction[i])],
      ...(name === null ? [] : [['impairment', nameInWords(name)] as const]),
    ],
    note: BAND_NOTES[kind],
  };
}

export function explainDrop(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { link, names, data, dataDirection } = index.series;
  const { drops } = link;
  const row = drops.direction[i] === dataDirection ? data.id.indexOf(drops.id[i]) : -1;
  const packet = row >= 0 ? `segment ${segmentAt(index, data.seq[row])}` : `number ${drops.id[i]}`;
  return {
    title: 'Packet dropped',
    tone: 'plain',
    facts: [
      ['at', clock(drops.t[i])],
      ['packet', packet],
      ['direction', directionInWords(drops.direction[i])],
    ],
    note: drops.by[i] >= 0 ? `Cause: ${dropInWords(names.drop[drops.by[i]])}.` : null,
  };
}

export function explainMark(index: RunIndex, i: number, clock: Clock = formatInstant): Explanation {
  const { link, data, dataDirection } = index.series;
  const { marks } = link;
  const row = marks.direction[i] === dataDirection ? data.id.indexOf(marks.id[i]) : -1;
  const packet = row >= 0 ? `segment ${segmentAt(index, data.seq[row])}` : `number ${marks.id[i]}`;
  return {
    title: 'Packet marked',
    tone: 'plain',
    facts: [
      ['left the queue at', clock(marks.t[i])],
      ['packet', packet],
      ['direction', directionInWords(marks.direction[i])],
    ],
    note: 'The queue would have dropped it; its transport is ECN-capable, so it continues with the codepoint CE.',
  };
}

/** The sender's variables in force at an instant. */
export function explainState(index: RunIndex, t: number, clock: Clock = formatInstant): Explanation | null {
  const { state, names } = index.series;
  const i = lastAtMost(state.t, t);
  if (i < 0) return null;
  const inSegments = (octets: number) =>
    `${formatOctets(octets)} (${(octets / index.segmentSize).toFixed(1)} segments)`;
  const facts: [string, string][] = [];
  facts.push(['cwnd', inSegments(state.cwnd[i])]);
  facts.push(['ssthresh', state.ssthresh[i] < 0 ? 'not set yet' : inSegments(state.ssthresh[i])]);
  facts.push(['flight', inSegments(state.flight[i])]);
  facts.push(['RTO', formatTime(state.rto[i])]);
  if (state.srtt[i] >= 0)
    facts.push(['SRTT', `${formatTime(state.srtt[i])} ± ${formatTime(state.rttvar[i])}`]);
  const phase = state.phase[i] >= 0 ? nameInWords(names.phase[state.phase[i]]) : null;
  return {
    title: `Sender at ${clock(t)}`,
    tone: 'plain',
    facts,
    note: phase === null ? null : `In ${phase}.`,
  };
}

const LIMIT_NOTES: Readonly<Record<string, string>> = {
  'congestion-window': 'The congestion window has no room for what is to be sent next.',
  'receive-window':
    'The window that the receiver offers has no room: a larger one would let the sender send more.',
  application: 'All that the application has written was sent.',
  pacing: 'Both windows have room; the next segment waits for its time.',
  recovery: 'It recovers from a loss, or asks whether a timeout was spurious.',
};

/** What holds the sender from sending more at an instant. */
export function explainLimit(index: RunIndex, t: number, clock: Clock = formatInstant): Explanation | null {
  const { limits, names } = index.series;
  const i = lastAtMost(limits.t, t);
  if (i < 0 || limits.by[i] < 0) return null;
  const name = names.limit[limits.by[i]];
  // What a decimated window leaves out may have begun since.
  const facts: [string, string][] = index.hasAll('limits')
    ? [
        ['from', clock(limits.t[i])],
        ['to', i + 1 < limits.length ? clock(limits.t[i + 1]) : 'the end'],
      ]
    : [];
  return {
    title: `Sender limited by ${nameInWords(name)}`,
    tone: 'plain',
    facts,
    note: LIMIT_NOTES[name] ?? null,
  };
}

/** The link's rate, or its delay, at an instant. */
export function explainSetting(
  setting: 'rate' | 'delay',
  index: RunIndex,
  t: number,
  clock: Clock = formatInstant,
): Explanation {
  const directions = setting === 'rate' ? index.rates : index.delays;
  const inWords = (value: number) =>
    setting === 'rate' ? formatRate(value) : value < 0 ? 'drawn for each packet' : formatTime(value);
  const facts = directions.flatMap((steps, direction): [string, string][] => {
    const i = lastAtMost(steps.t, t);
    return i < 0 ? [] : [[directionInWords(direction), inWords(steps.values[i])]];
  });
  const title = `${setting === 'rate' ? 'Rate' : 'Delay'} at ${clock(t)}`;
  return { title, tone: 'plain', facts, note: null };
}

/** The queues at an instant. */
export function explainQueue(index: RunIndex, t: number, clock: Clock = formatInstant): Explanation {
  const { down, up } = index.series.link.queue;
  const facts = [down, up].map((column, direction): [string, string] => {
    const i = lastAtMost(column.t, t);
    return [directionInWords(direction), `${i < 0 ? 0 : column.packets[i]} packets`];
  });
  return { title: `Queue at ${clock(t)}`, tone: 'plain', facts, note: null };
}
