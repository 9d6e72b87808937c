import { describe, expect, it } from 'vitest';

import { direct } from './direct-icons';

describe('direct', () => {
  it('imports each icon from its file, and no types', () => {
    expect(direct(' IconX, type Icon,\n IconCheck as Tick, ')).toBe(
      "import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'; " +
        "import Tick from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';",
    );
  });
});
