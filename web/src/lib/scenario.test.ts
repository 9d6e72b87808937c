import { expect, it } from 'vitest';

import { isScenario, scenarioIn } from './scenario';

it('reads a scenario, whatever its blanks', () => {
  expect(scenarioIn('  simple-p2p   --delay=15ms --queue=25 ')).toBe('simple-p2p --delay=15ms --queue=25');
  expect(isScenario('drop-rate --delay=15ms')).toBe(true);
  expect(scenarioIn('rebind --')).toBe('rebind --');
});

it('leaves names and what is searched for alone', () => {
  for (const text of ['', 'gprs', 'simple-p2p', 'lte cell edge', '--delay=15ms', 'Wi-Fi --good', 'a -b'])
    expect(scenarioIn(text)).toBeNull();
});
