import { Group, Stack, Title } from '@mantine/core';

import { CertificateFacts } from '../../results/certificate';
import { Mark } from '../../results/mark';
import type { Certificate as Told } from '../../series/report';

/** How true to its plan a live run was, with every number that says so. Why one is not valid stands above it all (trouble.tsx). */
export function Certificate({ certificate }: { readonly certificate: Told }) {
  return (
    <Stack component="section" gap="xs" aria-labelledby="certificate">
      <Group gap="sm">
        <Title order={2} size="h4" id="certificate">
          Fidelity certificate
        </Title>
        <Mark word={certificate.valid ? 'valid' : 'not valid'} />
      </Group>
      <CertificateFacts certificate={certificate} />
    </Stack>
  );
}
