import { expect, test } from 'vitest';

import { commandsOf, commandsTable, lineOf, wordsOf } from './commands';

test('a line is taken apart as a shell does', () => {
  expect(wordsOf('curl -o /dev/null  http://{server}/')).toEqual([
    'curl',
    '-o',
    '/dev/null',
    'http://{server}/',
  ]);
  expect(wordsOf(`sh -c 'echo "a b"; exit 3'`)).toEqual(['sh', '-c', 'echo "a b"; exit 3']);
  expect(wordsOf('a "b \\" c" \'\' d\\ e')).toEqual(['a', 'b " c', '', 'd e']);
  expect(wordsOf('  ')).toEqual([]);
});

test('words become a line that has them', () => {
  for (const words of [['a'], ['sh', '-c', `echo "x"; echo 'y z'`], ['', 'b\\c'], ["it's"]])
    expect(wordsOf(lineOf(words))).toEqual(words);
});

test('a table becomes lines and the same table again', () => {
  const table = {
    kind: 'command',
    client: ['sh', '-c', 'wget -q x; true'],
    server: ['serve', '8080'],
    port: 8080,
  };
  const commands = commandsOf(table);
  expect(commands?.client).toBe("sh -c 'wget -q x; true'");
  expect(commands && commandsTable(commands)).toEqual(table);
  expect(commandsOf({ kind: 'bulk' })).toBeNull();
  expect(commandsOf({ ...table, size: '1 kB' })).toBeNull();
});

test('what is no port stays text, so that the engine says what is wrong', () => {
  expect(commandsTable({ client: 'true', server: '', port: 'http' })).toEqual({
    kind: 'command',
    client: ['true'],
    port: 'http',
  });
});
