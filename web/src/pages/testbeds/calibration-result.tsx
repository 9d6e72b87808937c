import { Badge, Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { formatRate, groupThousands } from '../../lib/format';
import { Facts } from '../../results/facts';
import { Row, WideTable, numeric } from '../../ui/table';
import { microseconds, percent } from './units';

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
      <WideTable
        label="How late"
        minWidth={720}
        verticalSpacing={6}
        heads={[
          'How late',
          numeric('Half are within'),
          numeric('99 of 100 within'),
          numeric('Latest'),
          numeric('Of'),
        ]}
      >
        <SpreadRow name="Packets leave the link" spread={delays.release} />
        <SpreadRow name="The same, after a stall of the machine" spread={delays.release_in_stalls} />
        <SpreadRow name="Packets reach the far host" spread={delays.wire} />
        <SpreadRow name="The link’s own events" spread={script_error_us} />
      </WideTable>
      <WideTable
        label="Rates"
        minWidth={720}
        verticalSpacing={6}
        heads={[
          'Rate as planned',
          numeric('As it came'),
          numeric('Off by'),
          numeric('Over'),
          numeric('Half are late by'),
          numeric('99 of 100'),
          numeric('Lost by the plane'),
          numeric('A run’s certificate'),
        ]}
      >
        {rates.map((rate) => (
          <Row
            key={rate.planned_bps}
            head={formatRate(rate.planned_bps)}
            cells={[
              numeric(formatRate(rate.achieved_bps)),
              numeric(percent(rate.error)),
              numeric(<>{rate.over_s.toFixed(1)} s</>),
              numeric(rate.release.count === 0 ? 'nothing' : microseconds(rate.release.p50)),
              numeric(rate.release.count === 0 ? 'nothing' : microseconds(rate.release.p99)),
              numeric(groupThousands(rate.plane_drops)),
              numeric(
                <Badge color={rate.valid ? 'teal' : 'red'} c="var(--mantine-color-text)">
                  {rate.valid ? 'valid' : 'not valid'}
                </Badge>,
              ),
            ]}
          />
        ))}
      </WideTable>
      <Text size="xs" c="dimmed">
        Measured on this machine. Microseconds are written µs.
      </Text>
    </Stack>
  );
}

function SpreadRow({ name, spread }: { readonly name: string; readonly spread: Spread }) {
  const { p50, p99, max, count } = spread;
  const said = count === 0 ? ['nothing', 'nothing', 'nothing'] : [p50, p99, max].map(microseconds);
  return <Row head={name} cells={[...said, groupThousands(count)].map(numeric)} />;
}
