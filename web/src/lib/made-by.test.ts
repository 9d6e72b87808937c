import { expect, test } from 'vitest';

import { madeBy } from './made-by';

test('an engine of a commit names it', () => {
  expect(madeBy({ version: '0.1.0', commit: 'c248d7e12345' })).toBe('Windlull 0.1.0, commit c248d7e12345');
});

test('an engine of changed sources says so, and which', () => {
  expect(madeBy({ version: '0.1.0', commit: 'c248d7e12345+0a1b2c3d4e5f' })).toBe(
    'Windlull 0.1.0, with changes since commit c248d7e12345 (sources 0a1b2c3d4e5f)',
  );
});
