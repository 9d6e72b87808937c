import { describe, expect, it } from 'vitest';

import { findNames } from './find';

const TITLES: Readonly<Record<string, string>> = {
  dsl: 'DSL',
  edge: 'EDGE, between gprs and umts',
  gprs: 'GPRS, as early networks had it',
  'gprs-late': 'GPRS with a hold',
  'my/gprs': 'A copy',
  oldgprs: 'Another',
};
const names = Object.keys(TITLES);
const find = (search: string) => findNames(names, search, (name) => TITLES[name]);

describe('what a search finds', () => {
  it('begins with what is called so', () => {
    expect(find('gprs')).toEqual(['gprs', 'gprs-late', 'my/gprs', 'oldgprs', 'edge']);
    expect(find('GPRS ')).toEqual(find('gprs'));
    expect(find('d')[0]).toBe('dsl');
  });

  it('has every word, in name or title', () => {
    expect(find('hold gprs')).toEqual(['gprs-late']);
    expect(find('nothing')).toEqual([]);
    expect(find('  ')).toEqual(names);
  });
});
