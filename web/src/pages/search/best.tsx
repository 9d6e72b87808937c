import { Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { Prose } from '../../ui/text';
import { Section } from '../../ui/page';
import { Diagram } from './diagram';
import { valueInWords } from './words';

interface Props {
  readonly search: number;
  readonly best: Schema<'BestView'>;
  /** What its value is. */
  readonly title: string;
}

/** The worst link so far: what it does, and what its variants did on it. */
export function BestSoFar({ search, best, title }: Props) {
  return (
    <Section title="The worst link so far">
      <Text size="sm">
        <Prose text={best.words} /> {title}: {valueInWords(best.value)}. It was link {best.trial}; the
        diagrams are of its first repetition.
      </Text>
      <Stack gap="md">
        {best.variants.map((variant, place) => (
          <Diagram
            key={`${best.trial} ${variant}`}
            // Another link in the same place is another series.
            address={`/api/v1/searches/${search}/best/${place}/series?trial=${best.trial}`}
            variant={variant}
            title={`${variant} on link ${best.trial} of search ${search}`}
          />
        ))}
      </Stack>
    </Section>
  );
}
