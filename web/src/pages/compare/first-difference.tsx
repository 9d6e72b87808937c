import { Group, Select, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'react-router';

import type { Schema } from '../../api/client';
import { Difference } from '../../parts/difference';
import type { Resolved } from '../../parts/use-resolved';
import { titleIn } from '../../results/model';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { type Choice, pairOf, partnerIn } from './choice';
import { PartingKinds } from './parting-kinds';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly Schema<'RunLine'>[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** Where the baseline and another variant part first in the chosen repetition, and of which kinds that is over all of them. */
export function FirstDifference({ batch, runs, choice, titles }: Props) {
  const { params, change } = useAddress();
  const { hash } = useLocation();
  const partner = partnerIn(params, choice);
  const pair = partner === null ? null : pairOf(runs, choice, partner);
  useEffect(() => {
    if (hash === `#${to.partAnchor}`) document.getElementById(to.partAnchor)?.scrollIntoView();
  }, [hash]);
  const [baseline, ...others] = choice.variants;
  return (
    <Section title="The first difference" id={to.partAnchor}>
      <Muted maw="90ch">
        In which decision {titleIn(titles.variants, baseline)} (variant A) and another one, variant B, part
        first in repetition {choice.repetition}, by which rule, and what it cost until the end.
      </Muted>
      <Group align="flex-end" gap="sm">
        <Select
          label="Variant B"
          placeholder="Choose a variant"
          data={others.map((value) => ({ value, label: titleIn(titles.variants, value) }))}
          value={partner}
          clearable
          onChange={(variant) => change({ part: variant }, 'push')}
        />
      </Group>
      {partner !== null &&
        (pair === null ? (
          <Muted>
            Repetition {choice.repetition} of one of the two has not ended or has no result: choose another
            repetition above.
          </Muted>
        ) : (
          <Difference a={pair[0]} b={pair[1]} />
        ))}
      {partner !== null && (
        <section>
          <h3 className="part">Over all repetitions</h3>
          <Stack gap="xs">
            <PartingKinds key={partner} batch={batch.id} choice={choice} partner={partner} titles={titles} />
          </Stack>
        </section>
      )}
    </Section>
  );
}
