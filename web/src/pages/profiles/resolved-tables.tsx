import { Code, List, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';

import type { ProfileShelf } from './kinds';
import { impairments, linkRows, record, scriptEvents, settingRows, texts, type Row } from './resolved';
import { WideTable } from '../../ui/wide-table';
import { Heads } from '../../ui/heads';

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
      {summary.length > 0 && (
        <List size="sm" spacing={2}>
          {summary.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      {shelf === 'variants' && <Stack gap={2}>{testbeds(resolved)}</Stack>}
      {shelf === 'links' ? <LinkTables link={settings} /> : <Settings settings={settings} />}
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
        <Scrolling name="Impairments">
          <Heads of={['Impairment', 'Kind', 'Where', 'How']} />
          <Table.Tbody>
            {processes.map(({ name, kind, where, details }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">
                  <Code>{name}</Code>
                </Table.Th>
                <Table.Td>{kind}</Table.Td>
                <Table.Td>{where}</Table.Td>
                <Table.Td>{details}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Scrolling>
      )}
      {events.length > 0 && (
        <Scrolling name="Script">
          <Heads of={['At', 'What', 'For', 'Where']} />
          <Table.Tbody>
            {events.map(({ at, what, lasts, where }, i) => (
              <Table.Tr key={i}>
                <Table.Th scope="row">{at}</Table.Th>
                <Table.Td>{what}</Table.Td>
                <Table.Td>{lasts === '' ? 'to the end' : lasts}</Table.Td>
                <Table.Td>{where}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Scrolling>
      )}
    </>
  );
}

function Settings({ settings }: { readonly settings: Props['resolved'] }) {
  return <Rows name="Settings" head={['Key', 'Value']} rows={settingRows(settings)} />;
}

interface RowsProps {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
}

function Rows({ name, head, rows }: RowsProps) {
  return (
    <Scrolling name={name}>
      <Heads of={head} />
      <Table.Tbody>
        {rows.map(({ key, values }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row">
              <Code>{key}</Code>
            </Table.Th>
            {values.map((value, i) => (
              <Table.Td key={i}>{value}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Scrolling>
  );
}

/** A table that is wider than a telephone: it scrolls by itself, also by keyboard. */
function Scrolling({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <WideTable label={name} minWidth={560}>
      <Table verticalSpacing={6} aria-label={name}>
        {children}
      </Table>
    </WideTable>
  );
}
