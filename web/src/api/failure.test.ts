import { describe, expect, it } from 'vitest';

import { failureOf } from './failure';

const answer = (status: number, body: string) => new Response(body, { status });

describe('failureOf', () => {
  it('reads the one shape of errors', async () => {
    const failure = await failureOf(
      answer(
        422,
        '{"error": {"code": "invalid", "message": "the link is not valid", "problems": [{"line": 6, "message": "unknown key"}]}}',
      ),
    );
    expect(failure).toMatchObject({ status: 422, code: 'invalid', message: 'the link is not valid' });
    expect(failure.problems).toEqual([{ line: 6, message: 'unknown key' }]);
  });

  it('says that an answer is not the controller’s', async () => {
    const failure = await failureOf(answer(502, '<h1>Bad gateway</h1>'));
    expect(failure).toMatchObject({ status: 502, code: 'unknown', problems: [] });
    expect(failure.message).toContain('502');
  });

  it('leaves out problems that say nothing', async () => {
    const failure = await failureOf(
      answer(400, '{"error": {"code": "x", "message": "y", "problems": [1, {"line": 2}]}}'),
    );
    expect(failure.problems).toEqual([]);
  });
});
