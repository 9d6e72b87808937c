import { Alert, Button, Group, List, Stack, Table, Text } from '@mantine/core';
import { IconCheck, IconRefresh, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api, client, type Schema } from '../../api/client';
import { Failure } from '../../ui/failure';
import { Moment } from '../../ui/moment';
import { Prose } from '../../ui/prose';
import { Section } from '../../ui/section';
import { SignBadge } from '../../ui/sign-badge';
import { Waiting } from '../../ui/waiting';
import { WideTable } from '../../ui/wide-table';
import { Heads } from '../../ui/heads';

type Thing = Schema<'HealthCheck'>;

const PATH = '/api/v1/testbeds';

/** What works on the machine that serves, what does not and why, and what would help. */
export function Doctor() {
  const queries = useQueryClient();
  const { data, error, refetch } = api.useQuery('get', PATH);
  const again = useMutation({
    mutationFn: async () => {
      const told = await client.GET(PATH, { params: { query: { refresh: 'true' } } });
      return told.data;
    },
    onSuccess: (told) => queries.setQueryData(api.queryOptions('get', PATH).queryKey, told),
  });
  if (error !== null) {
    return <Failure title="The machine could not be checked" error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Waiting what="what works here" rows={10} />;
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          Check again
        </Button>
        <Text size="sm" c="dimmed" role="status">
          checked <Moment at={data.looked_at} />
        </Text>
      </Group>
      {again.error !== null && <Failure title="The machine could not be checked again" error={again.error} />}
      {data.leftovers.length > 0 && (
        <Alert color="yellow" variant="light" title="Left behind by runs that were killed">
          <List size="sm" c="var(--mantine-color-text)">
            {data.leftovers.map((left) => (
              <List.Item key={left}>
                <Prose text={left} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Things title="Testbeds" things={data.testbeds} />
      <Things title="Link planes of live runs" things={data.planes} />
      <Things title="Tools" things={data.tools} />
      <Things title="The kernel’s TCP" things={data.kernel} />
      {data.kernels.length > 0 && <Kernels kernels={data.kernels} />}
      {data.leftovers.length === 0 && (
        <Text size="sm" c="dimmed">
          Killed runs have left nothing behind.
        </Text>
      )}
    </Stack>
  );
}

/** What `windlull kernel list` says. */
function Kernels({ kernels }: { readonly kernels: readonly Schema<'KernelTold'>[] }) {
  return (
    <Section title="Kernels of their own">
      <WideTable label="Kernels of their own" minWidth={560}>
        <Table aria-label="Kernels of their own" verticalSpacing={6}>
          <Heads of={['Name', 'Release', 'Built from', 'Patches']} />
          <Table.Tbody>
            {kernels.map(({ name, release, source, patches }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {name}
                </Table.Th>
                <Table.Td>{release}</Table.Td>
                <Table.Td>{source}</Table.Td>
                <Table.Td>{patches.length === 0 ? 'none' : patches.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

function Things({ title, things }: { readonly title: string; readonly things: readonly Thing[] }) {
  return (
    <Section title={title}>
      <ul className="things">
        {things.map((thing) => (
          <li key={thing.name}>
            <One thing={thing} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function One({ thing }: { readonly thing: Thing }) {
  const { name, works, why, remedy } = thing;
  return (
    <>
      <Group gap="xs">
        <Text fw={600} ff="monospace" size="sm">
          {name}
        </Text>
        <SignBadge
          color={works ? 'teal' : 'red'}
          sign={works ? IconCheck : IconX}
          text={works ? 'works' : 'does not work'}
        />
      </Group>
      <Text size="sm" maw="90ch" style={{ overflowWrap: 'anywhere' }}>
        <Prose text={why} />
      </Text>
      {remedy !== null && !works && (
        <Text size="sm" c="dimmed" maw="90ch" style={{ overflowWrap: 'anywhere' }}>
          What would help: <Prose text={remedy} />
        </Text>
      )}
    </>
  );
}
