import { expect, it } from 'vitest';

import { edited, parsed } from '../../../lib/toml-edit';
import { PROFILES } from '../kinds';
import { extending } from './use-link';

const STARTER = PROFILES.links.starter;
const template = parsed(STARTER);

it('a new link that builds on another one has its rate, delay and queue from there', () => {
  const link = extending(template, template, 'gprs');
  expect(link).toEqual({ title: 'A new link', source: '', extends: 'gprs' });
  expect(parsed(edited(STARTER, link))).toEqual(link);
});

it('what was changed before stays', () => {
  const changed = { ...template, both: { ...(template['both'] as object), rate: '2 Mbit/s' } };
  expect(extending(changed, template, 'gprs')['both']).toEqual({ rate: '2 Mbit/s' });
});

it('a link that was there before keeps what it says, also if a template would say the same', () => {
  expect(extending(template, {}, 'gprs')).toEqual({ ...template, extends: 'gprs' });
});

it('one that builds on none any more keeps what it says', () => {
  const link = { title: 'Mine', extends: 'gprs', both: { rate: '1 Mbit/s' } };
  expect(extending(link, template, undefined)).toEqual({ title: 'Mine', both: { rate: '1 Mbit/s' } });
});
