import { Badge, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';

import type { Schema } from '../../api/client';
import { formatRate, groupThousands } from '../../lib/format';
import { Facts } from '../../ui/facts';
import { WideTable } from '../../ui/wide-table';
import { microseconds, percent } from './units';
import { Heads, numeric } from '../../ui/heads';

type Result = Schema<'Calibration'>;
type Spread = Schema<'Spread'>;

/** What a calibration measured, with units. */
export function CalibrationResult({ result }: { readonly result: Result }) {
  const { delays, script_error_us, rates, loss, highest_rate_bps } = result;
  const [low, high] = loss.interval;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [
            'Certificates are valid up to',
            highest_rate_bps === null
              ? 'none of the rates tried; the machine may have been busy'
              : formatRate(highest_rate_bps),
          ],
          ['A transfer through a link without limits', formatRate(result.throughput_bps)],
          ['The part of its time that the plane was sending', percent(result.throughput_sending)],
          ['The same where the kernel forwards', formatRate(result.forwarding_throughput_bps)],
          [
            'Stalls of the machine',
            `${groupThousands(delays.stalls.count)}, the longest ${microseconds(delays.stalls.longest_us)}, together ${microseconds(delays.stalls.total_us)}`,
          ],
          ['Packets lost by the plane itself', groupThousands(delays.plane_drops)],
          [
            'Random loss',
            `planned ${percent(loss.probability)}; ${groupThousands(loss.lost)} of ${groupThousands(loss.packets)} packets, so between ${percent(low)} and ${percent(high)} with 99 % confidence; ${groupThousands(loss.unaccounted)} not accounted for`,
          ],
        ]}
      />
      <Scrolling name="How late">
        <Heads
          of={[
            'How late',
            numeric('Half are within'),
            numeric('99 of 100 within'),
            numeric('Latest'),
            numeric('Of'),
          ]}
        />
        <Table.Tbody>
          <SpreadRow name="Packets leave the link" spread={delays.release} />
          <SpreadRow name="The same, after a stall of the machine" spread={delays.release_in_stalls} />
          <SpreadRow name="Packets reach the far host" spread={delays.wire} />
          <SpreadRow name="The link’s own events" spread={script_error_us} />
        </Table.Tbody>
      </Scrolling>
      <Scrolling name="Rates">
        <Heads
          of={[
            'Rate as planned',
            numeric('As it came'),
            numeric('Off by'),
            numeric('Over'),
            numeric('Half are late by'),
            numeric('99 of 100'),
            numeric('Lost by the plane'),
            numeric('A run’s certificate'),
          ]}
        />
        <Table.Tbody>
          {rates.map((rate) => (
            <Table.Tr key={rate.planned_bps}>
              <Table.Th scope="row" fw={400}>
                {formatRate(rate.planned_bps)}
              </Table.Th>
              <Table.Td className="numeric">{formatRate(rate.achieved_bps)}</Table.Td>
              <Table.Td className="numeric">{percent(rate.error)}</Table.Td>
              <Table.Td className="numeric">{rate.over_s.toFixed(1)} s</Table.Td>
              <Table.Td className="numeric">
                {rate.release.count === 0 ? 'nothing' : microseconds(rate.release.p50)}
              </Table.Td>
              <Table.Td className="numeric">
                {rate.release.count === 0 ? 'nothing' : microseconds(rate.release.p99)}
              </Table.Td>
              <Table.Td className="numeric">{groupThousands(rate.plane_drops)}</Table.Td>
              <Table.Td className="numeric">
                <Badge
                  variant="outline"
                  color={rate.valid ? 'teal' : 'red'}
                  c="var(--mantine-color-text)"
                  tt="none"
                >
                  {rate.valid ? 'valid' : 'not valid'}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Scrolling>
      <Text size="xs" c="dimmed">
        Measured on this machine. Microseconds are written µs.
      </Text>
    </Stack>
  );
}

function SpreadRow({ name, spread }: { readonly name: string; readonly spread: Spread }) {
  const { p50, p99, max, count } = spread;
  const said = count === 0 ? ['nothing', 'nothing', 'nothing'] : [p50, p99, max].map(microseconds);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {name}
      </Table.Th>
      {said.map((value, i) => (
        <Table.Td key={i} className="numeric">
          {value}
        </Table.Td>
      ))}
      <Table.Td className="numeric">{groupThousands(count)}</Table.Td>
    </Table.Tr>
  );
}

function Scrolling({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <WideTable label={name} minWidth={720}>
      <Table aria-label={name} verticalSpacing={6}>
        {children}
      </Table>
    </WideTable>
  );
}
