import { describe, expect, it } from 'vitest';

import type { DocumentLine } from '../../api/documents';
import { found } from './search';

const line = (name: string, title: string, origin: DocumentLine['origin']): DocumentLine => ({
  name,
  title,
  description: 'A cell of its time',
  source: 'RFC 3481',
  family: null,
  origin,
  revision: null,
  updated_at: null,
});
const LINES = [line('gprs', 'GPRS as it was', 'shipped'), line('mine/late', 'GPRS, later', 'own')];

describe('found', () => {
  const names = (words: string, origin = 'all') => found(LINES, words, origin).map(({ name }) => name);

  it('wants every word, anywhere, in any case', () => {
    expect(names('')).toEqual(['gprs', 'mine/late']);
    expect(names(' gprs  LATER ')).toEqual(['mine/late']);
    expect(names('3481 was')).toEqual(['gprs']);
    expect(names('cell later')).toEqual(['mine/late']);
    expect(names('lte')).toEqual([]);
  });

  it('narrows to an origin; one that there is not means all', () => {
    expect(names('', 'own')).toEqual(['mine/late']);
    expect(names('', 'shipped')).toEqual(['gprs']);
    expect(names('', 'nowhere')).toHaveLength(2);
  });
});
