import { expect, test } from 'vitest';

import { columnsOf, commandsOf, endInWords, type CommandReport } from './command-report';

const COMMAND: CommandReport = {
  began_s: 0,
  elapsed_s: 1.5,
  exit_code: 0,
  signal: null,
  output: '',
  errors: '',
  left_out_bytes: 0,
};

test('a run without commands has none', () => {
  expect(commandsOf({ metrics: {} })).toBeNull();
  expect(commandsOf({ commands: { server: null, client: COMMAND }, traffic: {} })?.commands.client).toBe(
    COMMAND,
  );
});

test('the end of a command is told by its code or its signal', () => {
  expect(endInWords({ ...COMMAND, exit_code: 7 })).toBe('exit code 7');
  expect(endInWords({ ...COMMAND, exit_code: null, signal: 9 })).toBe('ended by signal 9');
});

test('bins become rates, delays and losses', () => {
  const way = { arrived_bytes: [1000, 0], lost: [0, 2], delay_s: [0.1, null] };
  const columns = columnsOf({ bin_s: 0.1, down: way, up: way });
  expect(columns.rate.at).toEqual([0.1, 0.2]);
  expect(columns.rate.down).toEqual([80_000, 0]);
  expect(columns.delay.up).toEqual([0.1, null]);
  expect(columns.lost.down).toEqual([0, 2]);
});
