import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

import { record } from '../../lib/json';
import { Bullets } from '../../ui/text';
import { Row, WideTable } from '../../ui/table';
import type { ProfileShelf } from './kinds';
import { impairments, linkRows, scriptEvents, settingRows, texts, type Line } from './resolved';

interface Props {
  readonly shelf: ProfileShelf;
  /** What the engine says of the profile: `show` of the command. */
  readonly resolved: Readonly<Record<string, unknown>>;
}

/** What a profile stands for, with all that it builds on and all defaults. */
export function Resolved({ shelf, resolved }: Props) {
  // A workload's settings stand beside its title; of the others, in a table of their own.
  const settings = shelf === 'workloads' ? resolved : record(resolved['resolved']);
  // Of a link, the lines for people stand under its drawing.
  const summary = shelf === 'links' ? [] : texts(resolved['summary']);
  return (
    <Stack>
      {summary.length > 0 && <Bullets of={summary} spacing={2} />}
      {shelf === 'variants' && <Stack gap={2}>{testbeds(resolved)}</Stack>}
      {shelf === 'links' ? (
        <LinkTables link={settings} />
      ) : (
        <Rows name="Settings" head={['Key', 'Value']} rows={settingRows(settings)} />
      )}
    </Stack>
  );
}

/** Where a variant runs, and what of it a testbed does not take over. */
function testbeds(variant: Props['resolved']): ReactNode {
  const where = texts(variant['testbeds']);
  const left = texts(variant['not_carried']);
  return (
    <>
      {where.length > 0 && (
        <Text size="sm">
          Runs {where.includes('sim') ? 'simulated' : ''}
          {where.length > 1 ? ' and ' : ''}
          {where.includes('netns') ? 'live, in network namespaces' : ''}.
        </Text>
      )}
      {left.length > 0 && <Text size="sm">Not carried over: {left.join(', ')}.</Text>}
    </>
  );
}

function LinkTables({ link }: { readonly link: Props['resolved'] }) {
  const processes = impairments(link);
  const events = scriptEvents(link);
  return (
    <>
      <Rows
        name="Both directions"
        head={['Key', 'Down (server to client)', 'Up (client to server)']}
        rows={linkRows(link)}
      />
      {processes.length > 0 && (
        <WideTable
          label="Impairments"
          minWidth={560}
          verticalSpacing={6}
          heads={['Impairment', 'Kind', 'Where', 'How']}
        >
          {processes.map(({ name, kind, where, details }) => (
            <Row key={name} head={<Code>{name}</Code>} bold cells={[kind, where, details]} />
          ))}
        </WideTable>
      )}
      {events.length > 0 && (
        <WideTable label="Script" minWidth={560} verticalSpacing={6} heads={['At', 'What', 'For', 'Where']}>
          {events.map(({ at, what, lasts, where }, i) => (
            <Row key={i} head={at} bold cells={[what, lasts === '' ? 'to the end' : lasts, where]} />
          ))}
        </WideTable>
      )}
    </>
  );
}

interface RowsProps {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly Line[];
}

function Rows({ name, head, rows }: RowsProps) {
  return (
    <WideTable label={name} minWidth={560} verticalSpacing={6} heads={head}>
      {rows.map(({ key, values }) => (
        <Row key={key} head={<Code>{key}</Code>} bold cells={values} />
      ))}
    </WideTable>
  );
}
