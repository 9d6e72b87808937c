import { Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconRefresh, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api, client, type Schema } from '../../api/client';
import { Asked, Failure } from '../../ui/asked';
import { Bullets, Muted, Notice, Prose } from '../../ui/text';
import { SignButton } from '../../ui/buttons';
import { Row, WideTable } from '../../ui/table';
import { Moment } from '../../ui/moment';
import { Section } from '../../ui/page';
import { SignBadge } from '../../ui/sign-badge';

type Thing = Schema<'HealthCheck'>;

const PATH = '/api/v1/testbeds';

/** What works on the machine that serves, what does not and why, and what would help. */
export function Doctor() {
  const queries = useQueryClient();
  const query = api.useQuery('get', PATH);
  const again = useMutation({
    mutationFn: () => client.GET(PATH, { params: { query: { refresh: 'true' } } }),
    onSuccess: ({ data }) => queries.setQueryData(api.queryOptions('get', PATH).queryKey, data),
  });
  return (
    <Asked query={query} failed="The machine could not be checked" what="what works here" rows={10}>
      {(data) => (
        <Stack gap="lg">
          <Group gap="sm">
            <SignButton sign={IconRefresh} loading={again.isPending} onClick={() => again.mutate()}>
              Check again
            </SignButton>
            <Muted role="status">
              checked <Moment at={data.looked_at} />
            </Muted>
          </Group>
          {again.error !== null && (
            <Failure title="The machine could not be checked again" error={again.error} />
          )}
          {data.leftovers.length > 0 && (
            <Notice color="yellow" title="Left behind by runs that were killed">
              <Bullets of={data.leftovers} c="var(--mantine-color-text)" />
            </Notice>
          )}
          <Things title="Testbeds" things={data.testbeds} />
          <Things title="Link planes of live runs" things={data.planes} />
          <Things title="Tools" things={data.tools} />
          <Things title="The kernel’s TCP" things={data.kernel} />
          {data.kernels.length > 0 && <Kernels kernels={data.kernels} />}
          {data.leftovers.length === 0 && <Muted>Killed runs have left nothing behind.</Muted>}
        </Stack>
      )}
    </Asked>
  );
}

/** What `windlull kernel list` says. */
function Kernels({ kernels }: { readonly kernels: readonly Schema<'KernelView'>[] }) {
  return (
    <Section title="Kernels of their own">
      <WideTable
        label="Kernels of their own"
        minWidth={560}
        verticalSpacing={6}
        heads={['Name', 'Release', 'Built from', 'Patches']}
      >
        {kernels.map(({ name, release, source, patches }) => (
          <Row
            key={name}
            head={name}
            cells={[release, source, patches.length === 0 ? 'none' : patches.join(', ')]}
          />
        ))}
      </WideTable>
    </Section>
  );
}

function Things({ title, things }: { readonly title: string; readonly things: readonly Thing[] }) {
  return (
    <Section title={title}>
      <ul className="lines">
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
        <Muted maw="90ch" style={{ overflowWrap: 'anywhere' }}>
          What would help: <Prose text={remedy} />
        </Muted>
      )}
    </>
  );
}
