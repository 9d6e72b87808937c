import { Code, SimpleGrid, Stack, Text } from '@mantine/core';

import { Muted } from '../../../ui/text';
import type { Format } from './read-file';

interface Shape {
  readonly format: Format;
  readonly what: string;
  readonly rule: string;
  readonly example: string;
}

/** What a file may look like, each with one that can be read. */
export const SHAPES: readonly Shape[] = [
  {
    format: 'trace',
    what: 'A Mahimahi trace',
    rule: 'One whole number a line: milliseconds at which a packet of 1504 octets could be sent. They do not go back.',
    example: '0\n12\n12\n27\n',
  },
  {
    format: 'steps',
    what: 'A rate over time (CSV)',
    rule: 'Two columns: seconds, bits per second. Each rate applies until the next line; a heading is allowed.',
    example: 'seconds,bits_per_second\n0,40200\n12.5,28800\n60,40200\n',
  },
  {
    format: 'delays-ms',
    what: 'Measured delays (CSV)',
    rule: 'One number a line, one way: milliseconds, or seconds. Each packet draws one of them.',
    example: '480.5\n512\n497.25\n1310\n',
  },
];

/** Says what can be imported before anything is. */
export function Shapes() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} component="section" aria-label="What a file may look like">
      {SHAPES.map(({ format, what, rule, example }) => (
        <Stack key={format} gap={4}>
          <Text size="sm" fw={600}>
            {what}
          </Text>
          <Muted>{rule}</Muted>
          <Code block mt="auto">
            {example.trimEnd()}
          </Code>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
