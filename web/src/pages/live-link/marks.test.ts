import { expect, it } from 'vitest';

import { marksInWords } from './marks';

it('what was done is told newest first, with how long it lasted', () => {
  const hold = { id: 1, kind: 'hold', direction: 'down', from_ms: 1000, to_ms: 4000 } as const;
  const set = { id: 2, kind: 'set', direction: 'both', set: { rate: '64 kbit/s' }, from_ms: 9000, to_ms: null } as const; // prettier-ignore
  const links = [
    { at_ms: 500, link: 'gprs', run: null },
    { at_ms: 6000, link: 'gprs', run: 'first-look, run 2' },
  ];
  expect(marksInWords({ every: 1000, samples: [], changes: [hold, set], links })).toEqual([
    { at: 9000, text: 'set rate 64 kbit/s, both ways, until it is taken back' },
    { at: 6000, text: 'lent to run first-look, run 2' },
    { at: 1000, text: 'hold, down, for 3 s' },
    { at: 500, text: 'gprs in force' },
  ]);
});
