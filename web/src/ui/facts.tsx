import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Pairs of a word and what stands for it, as a list of terms. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([word, value]) => (
        <div key={word}>
          <Text component="dt" size="sm" c="dimmed">
            {word}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
