import { Fieldset, Group, Pill, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';

import { api } from '../../api/client';
import { SignButton } from '../../ui/buttons';
import { Muted } from '../../ui/text';
import { useForm } from './use-form';

/** Variants on a kernel that they name, as `linux@patched`: for the testbed that has kernels to choose from. */
export function KernelVariants() {
  const { draft, change, existing } = useForm();
  const { data } = api.useQuery('get', '/api/v1/testbeds');
  const [variant, setVariant] = useState<string | null>('linux');
  const [kernel, setKernel] = useState<string | null>(null);
  const named = [...draft.variants, ...draft.live].filter((name) => name.includes('@'));
  const kernels = data?.kernels ?? [];
  if (draft.testbed !== 'kernel' && named.length === 0) return null;
  const wanted = variant !== null && kernel !== null ? `${variant}@${kernel}` : null;
  return (
    <Fieldset legend="On a named kernel" p="sm">
      <Stack gap="sm">
        {named.length > 0 && (
          <Pill.Group role="list" aria-label="Variants on a kernel that they name">
            {named.map((name) => (
              <Pill
                key={name}
                role="listitem"
                size="md"
                withRemoveButton
                removeButtonProps={{ 'aria-label': `Without ${name}`, 'aria-hidden': false, tabIndex: 0 }}
                onRemove={() => {
                  change({
                    variants: draft.variants.filter((one) => one !== name),
                    live: draft.live.filter((one) => one !== name),
                  });
                }}
              >
                {name}
              </Pill>
            ))}
          </Pill.Group>
        )}
        {kernels.length === 0 ? (
          <Muted>No kernel has been built on the server; “windlull kernel build” builds one.</Muted>
        ) : (
          <Group align="flex-end" gap="sm">
            <Select
              allowDeselect
              label="Variant"
              searchable
              w={220}
              data={[...existing.variants.keys()]}
              value={variant}
              onChange={setVariant}
            />
            <Select
              allowDeselect
              label="Kernel"
              w={270}
              placeholder="Choose a kernel"
              data={kernels.map(({ name, release }) => ({
                value: name,
                label: `${name} (Linux ${release})`,
              }))}
              value={kernel}
              onChange={setKernel}
            />
            <SignButton
              sign={IconPlus}
              disabled={wanted === null || named.includes(wanted)}
              onClick={() => {
                if (wanted !== null) change({ live: [...draft.live, wanted] });
              }}
              size="sm"
            >
              Add
            </SignButton>
          </Group>
        )}
        <Text size="xs" c="dimmed">
          A variant that names none runs on the kernel “stock”.
        </Text>
      </Stack>
    </Fieldset>
  );
}
