import { Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

import { api } from '../../api/client';
import { Asked } from '../asked';
import { Notice } from '../text';
import type { Testbed } from '../testbeds';
import { expected } from './costs';

interface Props {
  readonly experiment: string;
  readonly testbed: Testbed;
  readonly captures: boolean;
  /** Null where the experiment says how many. */
  readonly repetitions: number | null;
}

/** About how long a start takes and how much disk, as measured here or else as the engine expects; and what the disk has left. */
export function CostsNotice({ experiment, testbed, captures, repetitions }: Props) {
  const costs = api.useQuery('get', '/api/v1/costs', {
    params: { query: { experiment, testbed, captures } },
  });
  return (
    <Stack gap={4} role="group" aria-label="Time and disk">
      <Asked query={costs} failed="What it takes could not be read" what="what it takes" rows={2}>
        {(known) => {
          const { lines, tooLarge } = expected(known, { testbed, repetitions });
          return (
            <>
              {lines.map((line) => (
                <Text key={line} size="sm">
                  {line}
                </Text>
              ))}
              {tooLarge && (
                <Notice color="yellow" sign={IconAlertTriangle}>
                  Its files are likely to be more than the disk has left. Keep no captures, ask for fewer
                  repetitions, or delete older batches.
                </Notice>
              )}
            </>
          );
        }}
      </Asked>
    </Stack>
  );
}
