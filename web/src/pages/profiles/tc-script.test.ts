import { describe, expect, it } from 'vitest';

import { differences } from './tc-script';

describe('differences', () => {
  it('are what stands under the heading', () => {
    const script = [
      '#!/bin/sh',
      '# - not one',
      '# Where this link differs from the model:',
      '# - The queue stands elsewhere.',
      '# - Losses cannot be seeded.',
      '',
      '# - not one either',
    ].join('\n');
    expect(differences(script)).toEqual(['The queue stands elsewhere.', 'Losses cannot be seeded.']);
  });

  it('are none where the script names none', () => {
    expect(differences('#!/bin/sh\nset -eu\n')).toEqual([]);
  });
});
