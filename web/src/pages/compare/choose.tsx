import { Group, MultiSelect, Select, Stack, Text } from '@mantine/core';

import { useAddress } from '../../ui/use-address';
import { MOST_VARIANTS, type Choice, type Known } from './choice';
import { testbedTitle, titleIn } from '../../results/model';
import type { Resolved } from '../../parts/use-resolved';

interface Props {
  readonly known: Known;
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** Which variants, on which link, in which testbed. */
export function Choose({ known, choice, titles }: Props) {
  const { change } = useAddress();
  const { variants } = choice;
  return (
    <Stack gap="xs" component="section" aria-label="What is compared">
      <Group align="flex-end" gap="sm">
        <Select
          label="Baseline"
          data={known.variants.map((value) => ({ value, label: titleIn(titles.variants, value) }))}
          value={variants[0]}
          allowDeselect={false}
          onChange={(value) => {
            if (value === null) return;
            // Who was the baseline takes the place of who becomes it.
            const swapped = variants.map((one) => (one === value ? variants[0] : one));
            change({ v: [value, ...swapped.slice(1)] }, 'push');
          }}
        />
        <MultiSelect
          label="Compared with"
          style={{ flex: '1 1 18rem' }}
          data={known.variants
            .filter((value) => value !== variants[0])
            .map((value) => ({ value, label: titleIn(titles.variants, value) }))}
          value={variants.slice(1)}
          maxValues={MOST_VARIANTS - 1}
          hidePickedOptions
          onChange={(others) => {
            // One at least must be left to compare with.
            if (others.length > 0) change({ v: [variants[0], ...others] }, 'push');
          }}
        />
        {known.links.length > 1 && (
          <Select
            label="Link"
            data={known.links.map((value) => ({ value, label: titleIn(titles.links, value) }))}
            value={choice.link}
            allowDeselect={false}
            onChange={(link) => change({ link, t: null, y: null }, 'push')}
          />
        )}
        {known.testbeds.length > 1 && (
          <Select
            label="Testbed"
            data={known.testbeds.map((value) => ({ value, label: testbedTitle(value) }))}
            value={choice.testbed}
            allowDeselect={false}
            onChange={(testbed) => change({ testbed, t: null, y: null }, 'push')}
          />
        )}
      </Group>
      {known.links.length <= 1 && (
        <Text size="sm" c="dimmed">
          On {titleIn(titles.links, choice.link)}
          {known.testbeds.length <= 1 && `, ${testbedTitle(choice.testbed)}`}. The same repetition of all
          variants has the same seed: it met the same link.
        </Text>
      )}
    </Stack>
  );
}
