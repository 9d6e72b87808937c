import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';

import { certificateFacts } from '../../series/certificate-words';
import { decodeRunCertificate } from '../../series/live';
import { Json } from '../../series/json';
import { SignBadge } from '../../ui/sign-badge';

/** How true to its plan a live run was, with every number that says so. Why one is not valid stands above it all (trouble.tsx). */
export function Certificate({ certificate }: { readonly certificate: Readonly<Record<string, unknown>> }) {
  const told = decodeRunCertificate(new Json(certificate, 'certificate'));
  return (
    <Stack component="section" gap="xs" aria-labelledby="certificate">
      <Group gap="sm">
        <Title order={2} size="h4" id="certificate">
          Fidelity certificate
        </Title>
        <SignBadge
          color={told.valid ? 'teal' : 'yellow'}
          sign={told.valid ? IconCheck : IconX}
          text={told.valid ? 'valid' : 'not valid'}
        />
      </Group>
      <Paper withBorder p="sm" component="dl" m={0} className="certificate-facts">
        {certificateFacts(told).map(({ name, meaning, text }) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed" title={meaning}>
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" {...(text === null ? { c: 'dimmed' } : {})}>
              {text ?? 'not measured'}
            </Text>
          </div>
        ))}
      </Paper>
    </Stack>
  );
}
