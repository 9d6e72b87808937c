import { Box, Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';

import { readDocument, type DocumentView } from '../../api/documents';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Muted, Notice } from '../../ui/text';
import { Waiting } from '../../ui/asked';
import { KernelVariants } from './kernel-variants';
import { FormSection } from '../../ui/form-section';
import { EVERY, isNarrowed, shownVariants, suggestedOf, VariantFilter, type About } from './variant-filter';
import { Origin, useForm } from './use-form';

/** Which TCPs meet the link. */
export function VariantSection() {
  const { draft, change, existing, errors, message } = useForm();
  const { variants } = existing;
  const about = useAbout([...variants.keys()]);
  const [filter, setFilter] = useState(EVERY);
  const chosen = [...draft.variants, ...draft.live];
  const [unfolded, setUnfolded] = useState(false);
  const found = shownVariants(variants, about, filter, chosen);
  const shown = unfolded || isNarrowed(filter) ? found : suggestedOf(found, about, chosen);
  const ours = shown.filter(([name]) => about?.get(name)?.ours !== false);
  const kernels = shown.filter(([name]) => about?.get(name)?.ours === false);
  return (
    <FormSection
      step={2}
      title="Variants"
      about="The TCPs to compare. The n-th run of each meets the same link."
      error={errors.variants ?? message('variants', 'live.variants')}
    >
      {about === null ? (
        <Waiting what="the variants" rows={6} />
      ) : (
        <>
          <VariantFilter
            filter={filter}
            onChange={setFilter}
            about={about}
            shown={shown.length}
            of={variants.size}
          />
          {!isNarrowed(filter) && (
            <Group>
              <Button size="xs" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
                {unfolded ? 'Show the suggested ones only' : `Show all ${variants.size} variants`}
              </Button>
            </Group>
          )}
          <Choice
            legend="Ours: in the simulator and on live links"
            of="variants"
            variants={ours}
            about={about}
            chosen={draft.variants}
            onChange={(names) => change({ variants: names })}
          />
          <Choice
            legend="The kernel’s: on real kernels alone (testbeds netns and kernel)"
            of="live.variants"
            variants={kernels}
            about={about}
            chosen={draft.live}
            onChange={(names) => change({ live: names })}
          />
          <KernelVariants />
        </>
      )}
      {draft.live.length > 0 && draft.testbed === 'sim' && (
        <Notice role="note" color="yellow" title="The kernel’s variants will not run in the simulator">
          <Group gap="sm">
            <Text size="sm" c="var(--mantine-color-text)">
              They need a real kernel: the machine’s, in real time, or one of their own, in virtual time.
            </Text>
            {(['netns', 'kernel'] as const).map((testbed) => (
              <Button key={testbed} size="xs" onClick={() => change({ testbed })}>
                Run on {testbed}
              </Button>
            ))}
          </Group>
        </Notice>
      )}
      {chosen.length > 0 && <Muted>In this order in tables and figures: {chosen.join(', ')}.</Muted>}
    </FormSection>
  );
}

interface ChoiceProps {
  readonly legend: string;
  /** The key that has them. */
  readonly of: string;
  readonly variants: readonly (readonly [string, string])[];
  readonly about: ReadonlyMap<string, About>;
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function Choice({ legend, of, variants, about, chosen, onChange }: ChoiceProps) {
  const { from } = useForm();
  return (
    <Fieldset legend={legend} p="sm">
      {from(of) !== null && (
        <Box mb="xs">
          <Origin of={of} />
        </Box>
      )}
      {variants.length === 0 && <Muted>None of these is looked for or suggested.</Muted>}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs" verticalSpacing="xs">
        {variants.map(([name, title]) => (
          <Stack key={name} gap={0}>
            <Checkbox
              label={
                <Text span size="sm">
                  <Text span fw={600} size="sm">
                    {name}
                  </Text>{' '}
                  · {title}
                </Text>
              }
              description={about.get(name)?.description}
              checked={chosen.includes(name)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
          </Stack>
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt="xs">
        To add one, create{' '}
        <TextLink to={to.newDocument('variant')} size="xs" underline="always">
          a new variant
        </TextLink>
      </Text>
    </Fieldset>
  );
}

/** Reads all variants; null until every answer is there. */
function useAbout(names: readonly string[]): ReadonlyMap<string, About> | null {
  return useQueries({
    queries: names.map((name) => ({
      // The keys of `useDocument`, so that pages share what was read.
      queryKey: ['one', '/api/v1/variants/{name}', name],
      queryFn: ({ signal }: { signal: AbortSignal }) => readDocument('variants', name, signal),
    })),
    combine: (answers) =>
      answers.some(({ isPending }) => isPending)
        ? null
        : new Map(answers.flatMap(({ data }) => (data ? [[data.name, aboutOf(data)] as const] : []))),
  });
}

function aboutOf({ resolved, origin }: DocumentView): About {
  const variant = resolved && 'stack' in resolved ? resolved : null;
  return {
    description: variant?.description ?? '',
    ours: variant?.stack !== 'linux',
    own: origin === 'own',
    recovery: variant?.resolved.recovery ?? '',
    detection: variant?.resolved.detection ?? '',
  };
}
