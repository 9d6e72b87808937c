import { describe, expect, it } from 'vitest';

import { ONE_HOLD, sampleSeries } from '../testing/sample';
import { decodeSeries } from './decode';
import {
  explainAck,
  explainBand,
  explainDetectorStep,
  explainMark,
  explainSegment,
  explainState,
  explainTimeout,
  explanationText,
} from './explain';
import { RunIndex } from './run-index';
import { Verdict } from './types';

const indexOf = (setup = ONE_HOLD) => new RunIndex(decodeSeries(JSON.stringify(sampleSeries(setup))));
const conventional = indexOf();
const detecting = indexOf({ ...ONE_HOLD, detects: true, sack: true });

describe('explainSegment', () => {
  it('says why an unnecessary retransmission was unnecessary', () => {
    const row = conventional.byVerdict[Verdict.Unnecessary].rows[0];
    const { title, note, tone, facts } = explainSegment(conventional, row);
    expect(title).toMatch(/^Segment \d+, sent again$/);
    expect(note).toMatch(
      /^Unnecessary: the original arrives at \d+\.\d{3} s; the link held it for \d\.\d s\.$/,
    );
    expect(tone).toBe('bad');
    expect(facts.map(([name]) => name)).toEqual(
      expect.arrayContaining(['octets', 'sent', 'fate', 'why sent']),
    );
  });

  it('says what lost the copy before a necessary one', () => {
    const lossy = indexOf({ ...ONE_HOLD, lossProbability: 0.05, holds: [] });
    const [row] = lossy.byVerdict[Verdict.Necessary].rows;
    expect(explainSegment(lossy, row).note).toMatch(/^Necessary: no earlier copy arrived: /);
    expect(explainSegment(lossy, lossy.dropped.rows[0]).facts.find(([name]) => name === 'fate')?.[1]).toMatch(
      /^dropped: /,
    );
  });

  it('has nothing to judge about an original', () => {
    expect(explainSegment(conventional, 0).note).toBeNull();
    expect(explainSegment(conventional, 0).title).toBe('Segment 1');
  });
});

describe('explainMark', () => {
  it('names the segment that the queue marked', () => {
    const series = sampleSeries(ONE_HOLD) as { link: object };
    const plain = decodeSeries(JSON.stringify(series));
    const id = plain.data.id[3];
    Object.assign(series.link, { marks: { t: [1e9], direction: [plain.dataDirection], id: [id] } });
    const index = new RunIndex(decodeSeries(JSON.stringify(series)));
    const { title, facts, note } = explainMark(index, 0);
    expect(title).toBe('Packet marked');
    expect(facts).toContainEqual(['packet', 'segment 4 (octet 768)']);
    expect(note).toContain('codepoint CE');
  });
});

describe('the other explanations', () => {
  it('judge a timeout and its detector', () => {
    const { note, facts } = explainTimeout(detecting, 0);
    expect(note).toBe('Spurious: nothing was lost, it was only late.');
    expect(facts.find(([name]) => name === 'detector')?.[1]).toMatch(/^says spurious, after \d.* \(right\)$/);
  });

  it('name the rule of a detector step, and the response with the answer', () => {
    expect(explainDetectorStep(detecting, 0).note).toMatch(/^F-RTO 1:/);
    const last = detecting.series.detector.answer.findIndex((answer) => answer >= 0);
    const answer = explainDetectorStep(detecting, last);
    expect(answer.title).toBe('Detector answer');
    expect(answer.facts.some(([name, value]) => name === 'response' && value.includes('cwnd'))).toBe(true);
  });

  it('tell the length of a hold, the blocks of an ACK and the state of the sender', () => {
    const { holds } = conventional.series.link;
    expect(explainBand(conventional, 'hold', holds, 0).title).toBe('Hold of 3.40 s');
    const sack = detecting.series.sacks.t[0];
    const ack = detecting.series.acks.t.indexOf(sack);
    expect(explainAck(detecting, ack).facts.some(([name]) => name.endsWith('SACK'))).toBe(true);
    expect(explainState(conventional, 7e9)?.facts.map(([name]) => name)).toContain('RTO');
    expect(explainState(conventional, -1)).toBeNull();
  });

  it('become one text for those who listen', () => {
    expect(explanationText(explainTimeout(detecting, 0))).toMatch(/^Timeout 1\. Spurious: .*timer/);
  });
});
