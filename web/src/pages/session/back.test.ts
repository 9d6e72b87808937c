import { describe, expect, it } from 'vitest';

import { safeBack } from './back';

const ORIGIN = 'http://127.0.0.1:8642';
const back = (text: string | null) => safeBack(text, ORIGIN);

describe('safeBack', () => {
  it('goes back to our own pages, with all that was in their address', () => {
    expect(back('/runs/12?t=1_2#note')).toBe('/runs/12?t=1_2#note');
    expect(back('/')).toBe('/');
  });

  it('goes nowhere else', () => {
    for (const text of [
      null,
      '',
      'runs/12',
      '//elsewhere.example/',
      '/\\elsewhere.example/',
      '/\t/elsewhere.example/',
      'https://elsewhere.example/',
      'javascript:alert(1)',
    ])
      expect(back(text)).toBe('/');
  });

  it('does not come back to the question for the token', () => {
    expect(back('/session?back=/session')).toBe('/');
  });
});
