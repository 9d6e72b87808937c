import { Group, Stack, Title } from '@mantine/core';

import { CertificateFacts } from '../../results/certificate';
import { Mark } from '../../results/mark';
import { Json } from '../../series/json';
import { decodeRunCertificate } from '../../series/live';

/** How true to its plan a live run was, with every number that says so. Why one is not valid stands above it all (trouble.tsx). */
export function Certificate({ certificate }: { readonly certificate: Readonly<Record<string, unknown>> }) {
  const told = decodeRunCertificate(new Json(certificate, 'certificate'));
  return (
    <Stack component="section" gap="xs" aria-labelledby="certificate">
      <Group gap="sm">
        <Title order={2} size="h4" id="certificate">
          Fidelity certificate
        </Title>
        <Mark word={told.valid ? 'valid' : 'not valid'} />
      </Group>
      <CertificateFacts certificate={told} />
    </Stack>
  );
}
