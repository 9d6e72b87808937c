import { describe, expect, it } from 'vitest';

import { guess, readRecording, type Format } from './read-file';

const wrong = (text: string, format: Format) => {
  const read = readRecording(text, format);
  if ('recording' in read) throw new Error('it was read');
  return read.wrong;
};
const good = (text: string, format: Format) => {
  const read = readRecording(text, format);
  if ('wrong' in read) throw new Error(read.wrong.message);
  return read.recording;
};

describe('a Mahimahi trace', () => {
  it('is a list of instants, the same one twice for two opportunities', () => {
    expect(good('0\n3\r\n3\n\n10\n', 'trace')).toEqual({ kind: 'trace', milliseconds: [0, 3, 3, 10] });
  });

  it.each([
    ['1\n2.5\n', 2, /“2.5” is not a whole number of milliseconds/],
    ['1\n\n+2\n', 3, /“\+2” is not/],
    ['5\n4\n', 2, /4 ms is earlier than 5 ms/],
    ['1\n360000001\n', 2, /more than 100 hours/],
    ['\n \n', null, /empty/],
    ['0\n0\n', null, /has no duration/],
    [`1\n${'x'.repeat(99)}\n`, 2, /^“x{40} …” is not/],
  ])('is refused at its line: %j', (text, line, why) => {
    expect(wrong(text, 'trace')).toEqual({ line, message: expect.stringMatching(why) as string });
  });
});

describe('a rate over time', () => {
  it('has a heading, comments, and any usual separator', () => {
    const text = 'time,rate\n0,1000 # slow\n\n1.5; 2e3\n2\t3000.4\n';
    expect(good(text, 'steps')).toEqual({
      kind: 'steps',
      atS: [0, 1.5, 2],
      bps: [1000, 2000, 3000],
      offS: 0,
    });
  });

  it('may name its units in the heading', () => {
    for (const heading of ['time_s,rate_bps', 'seconds;bit/s', 'Time [s],Rate [bits per second]', 'at,bps']) {
      expect(good(`${heading}\n0,100\n`, 'steps')).toMatchObject({ bps: [100] });
    }
  });

  it('counts from its first instant', () => {
    expect(good('100.1,5\n100.3,6\n', 'steps')).toMatchObject({ atS: [0, 0.2], offS: 100.1 });
  });

  it.each([
    ['0,1\nx,2\n', 2, /“x,2” is not seconds and bits per second/],
    ['0,1\n1,2,3\n', 2, /is not seconds/],
    ['0,1\n1\n', 2, /is not seconds/],
    ['0,1\n0,2\n', 2, /not after 0 s/],
    ['0,1\n1,0\n', 2, /not a rate/],
    ['0,2e12\n', 1, /more than 1 Tbit/],
    ['-1,5\n', 1, /before the beginning/],
    ['0,1\n400000,1\n', 2, /more than 100 hours/],
    ['time,rate\n', null, /empty/],
    ['time_s,rate_kbps\n0,100\n', 1, /heading says kbps; .* seconds and bits per second/],
    ['t (ms),Mbit/s\n0,100\n', 1, /heading says ms;/],
  ])('is refused at its line: %j', (text, line, why) => {
    expect(wrong(text, 'steps')).toEqual({ line, message: expect.stringMatching(why) as string });
  });
});

describe('samples of delays', () => {
  it('are in seconds or milliseconds', () => {
    expect(good('delay\n0.1\n0.3\n', 'delays-s')).toEqual({ kind: 'delays', seconds: [0.1, 0.3] });
    expect(good('100\n300.5\n', 'delays-ms')).toEqual({ kind: 'delays', seconds: [0.1, 0.3005] });
  });

  it.each([
    ['0.1\nabc\n', 2, /“abc” is not a number of seconds/],
    ['0.1\n-1\n', 2, /from 0 to 600 s; this is -1 s/],
    ['0.1\n601\n', 2, /from 0 to 600 s/],
    ['0.1,2\n', 1, /is not a number/],
    ['delay_ms\n20\n', 1, /heading says ms; the numbers are read as seconds/],
    ['', null, /empty/],
  ])('are refused at their line: %j', (text, line, why) => {
    expect(wrong(text, 'delays-s')).toEqual({ line, message: expect.stringMatching(why) as string });
  });
});

describe('guess', () => {
  it.each([
    ['1\n2\n2\n9\n', 'trace'],
    ['t,r\n0,100\n', 'steps'],
    ['0.1\n0.05\n', 'delays-s'],
    ['120\n80.5\n', 'delays-ms'],
    ['', 'delays-s'],
  ])('takes %j for %s', (text, format) => {
    expect(guess(text, 'recorded.csv')).toBe(format);
  });

  it('believes a name that says what it is, so that what is wrong in it is told', () => {
    expect(guess('10\n5\n', 'TMobile-LTE-driving.down')).toBe('trace');
  });
});
