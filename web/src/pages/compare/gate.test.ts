import { describe, expect, it } from 'vitest';

import { METRICS } from '../../lib/metrics';
import { firstRule, gateCommand, ruleProblem } from './gate';

describe('the gate', () => {
  it('is a command that a shell takes as it is', () => {
    const asked = {
      experiment: 'papers/sarolahti2003/table-1',
      variants: ['sack', 'frto+sack'],
      testbed: 'netns',
      repetitions: 20,
      rule: ' elapsed.median > 1.05 * baseline ',
      strict: true,
    };
    expect(gateCommand(asked).replaceAll(' \\\n ', '')).toBe(
      "windlull gate papers/sarolahti2003/table-1 --variants sack,frto+sack --testbed netns --reps 20 --fail-if 'elapsed.median > 1.05 * baseline' --strict --junit gate.xml --markdown gate.md",
    );
    expect(gateCommand({ ...asked, experiment: "it's; rm" })).toContain("'it'\\''s; rm'");
  });

  it('begins with a rule that is one, for every metric', () => {
    for (const { name } of METRICS) expect(ruleProblem(firstRule(name))).toBeNull();
    expect(firstRule('goodput_bps')).toBe('goodput.median < 0.95 * baseline');
  });

  it('says what is wrong with a rule', () => {
    expect(ruleProblem('')).toMatch(/METRIC\.STATISTIC/);
    expect(ruleProblem('speed.median > baseline')).toMatch(/no metric speed/);
    expect(ruleProblem('elapsed.max > baseline')).toMatch(/p95/);
    expect(ruleProblem('elapsed.middle > baseline')).toMatch(/not one of median/);
    expect(ruleProblem('elapsed.p100 > baseline')).toMatch(/not one of median/);
    expect(ruleProblem('elapsed.median > slow')).toMatch(/limit/);
    expect(ruleProblem('elapsed_s.p95 <= 30 s')).toBeNull();
  });
});
