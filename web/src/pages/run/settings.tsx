import { Code, Group, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';

import { api } from '../../api/client';
import { Asked } from '../../ui/asked';
import { Row, WideTable } from '../../ui/table';
import { Muted } from '../../ui/text';
import { changed, useSearch } from '../../ui/use-address';

/** Every setting of the hosts' kernels that a live run read back. */
export function Settings({ run }: { readonly run: number }) {
  const [params, setParams] = useSearch();
  const open = params.has('settings');
  const sought = params.get('settings') ?? '';
  const analysis = api.useQuery(
    'get',
    '/api/v1/runs/{id}/analysis',
    { params: { path: { id: run } } },
    { enabled: open },
  );
  const set = (value: string | null, replace: boolean) =>
    setParams((old) => changed(old, { settings: value }), { replace, preventScrollReset: true });
  const all = analysis.data === undefined ? [] : settingsOf(analysis.data);
  const shown = all.filter(([name]) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <Stack component="section" gap="xs" aria-labelledby="settings">
      <Title order={2} size="h4" id="settings">
        <UnstyledButton
          fw="inherit"
          fz="inherit"
          aria-expanded={open}
          onClick={() => set(open ? null : '', false)}
        >
          <Group gap={4}>
            {open ? <IconChevronDown size={18} aria-hidden /> : <IconChevronRight size={18} aria-hidden />}
            Kernel settings
          </Group>
        </UnstyledButton>
      </Title>
      {open && (
        <Asked query={analysis} failed="The settings could not be read" what="the settings">
          {() => (
            <>
              <Muted>
                {all.length === 0
                  ? 'This run has no kernel settings: its TCP is ours.'
                  : 'As read back from the run’s own kernel.'}
              </Muted>
              {all.length > 0 && (
                <TextInput
                  label="Only names that contain"
                  value={sought}
                  maw={320}
                  onChange={(event) => set(event.currentTarget.value, true)}
                />
              )}
              {shown.length > 0 && (
                <WideTable
                  label="Kernel settings"
                  minWidth={420}
                  maxHeight={420}
                  verticalSpacing={3}
                  heads={['Setting', 'Value']}
                >
                  {shown.map(([name, value]) => (
                    <Row key={name} head={<Code>{name}</Code>} cells={[value === '' ? '“”' : value]} />
                  ))}
                </WideTable>
              )}
              {all.length > 0 && shown.length === 0 && (
                <Text size="sm">No setting has a name that contains this.</Text>
              )}
            </>
          )}
        </Asked>
      )}
    </Stack>
  );
}

function settingsOf(analysis: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const { settings } = analysis;
  return flat(settings, '').sort(([a], [b]) => a.localeCompare(b));
}

/** A tree of settings as `host.part.name` and value. */
function flat(value: unknown, name: string): [string, string][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, part]) => flat(part, name === '' ? key : `${name}.${key}`));
  }
  if (value === undefined || value === null) return [];
  return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
}
