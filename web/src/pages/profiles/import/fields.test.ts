import { describe, expect, it } from 'vitest';

import { fieldsOf } from './fields';

describe('fieldsOf', () => {
  it('brings problems to the fields that they come from', () => {
    const problem = (key: string) => ({ key, message: `wrong ${key}` });
    const fields = fieldsOf(
      ['down.rate', 'up.delay', 'both.queue.limit', 'up.rate.steps[3].at'].map(problem),
    );
    expect(fields).toEqual({
      title: null,
      rate: 'wrong down.rate',
      delay: 'wrong up.delay',
      others: [problem('up.rate.steps[3].at')],
    });
  });
});
