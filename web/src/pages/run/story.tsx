import { Button, Group, Paper, Stack, Table, Text, Title, UnstyledButton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';

import { api, type Schema } from '../../api/client';
import type { Engine } from '../../contract/types';
import { ns } from '../../lib/brand';
import { causeInWords } from '../../lib/cause';
import { formatInstant, formatOctets, formatTime, groupThousands, plural } from '../../lib/format';
import type { Viewport } from '../../lib/viewport';
import { reasonInWords } from '../../series/words';
import { Failure } from '../../ui/failure';
import { Waiting } from '../../ui/waiting';
import { WideTable } from '../../ui/wide-table';
import { Answer } from './episode-row';
import { Heads } from '../../ui/heads';

type Episode = Engine<'Episode'>;

interface Props {
  readonly run: Schema<'RunTold'>;
  readonly number: number;
  /** Shows a stretch in the diagram. */
  readonly onLook: (view: Viewport) => void;
}

/** What happened in an episode, in sentences, each with its instant; its timeouts; its captures. */
export function Story({ run, number, onLook }: Props) {
  const told = api.useQuery('get', '/api/v1/runs/{id}/episodes/{number}', {
    params: { path: { id: run.id, number } },
  });
  if (told.error) {
    return (
      <Failure title="The episode could not be read" error={told.error} onRetry={() => void told.refetch()} />
    );
  }
  if (told.data === undefined) return <Waiting what={`episode ${number}`} rows={6} />;
  const episode = told.data;
  return (
    <Paper withBorder p="md" component="article" aria-labelledby="story">
      <Stack gap="sm">
        <Title order={3} size="h5" id="story">
          Episode {number}: {causeInWords(episode.cause).toLowerCase()} at {formatInstant(episode.onset_ns)}
        </Title>
        <ol className="story">
          {episode.story.map(({ at_ns: at, text }, i) => (
            <li key={i}>
              <UnstyledButton
                className="instant"
                aria-label={`Show ${formatInstant(at)} in the diagram`}
                onClick={() => onLook(around(at, episode))}
              >
                {formatInstant(at)}
              </UnstyledButton>
              <span>{text}</span>
            </li>
          ))}
        </ol>
        {episode.untold > 0 && (
          <Text size="sm" c="dimmed">
            {plural(episode.untold, 'more event')}; the analysis lists them all.
          </Text>
        )}
        {episode.timeouts.length > 0 && <Timeouts episode={episode} />}
        {episode.fast_retransmits.length > 0 && <FastRetransmits episode={episode} />}
        <Facts episode={episode} />
        <Group gap="xs">
          {(['server', 'client'] as const)
            .filter((end) => run.result?.files.some(({ name }) => name === `${end}.pcapng`))
            .map((end) => (
              <Button
                key={end}
                component="a"
                href={`/api/v1/runs/${run.id}/episodes/${number}/captures/${end}`}
                download={`run-${run.id}-episode-${number}-${end}.pcapng`}
                variant="default"
                size="xs"
                leftSection={<IconDownload size={14} aria-hidden />}
              >
                Capture of this episode, {end}
              </Button>
            ))}
        </Group>
      </Stack>
    </Paper>
  );
}

function Timeouts({ episode }: { readonly episode: Episode }) {
  return (
    <WideTable label="Timeouts of the episode" minWidth={460}>
      <Table verticalSpacing={4}>
        <Heads of={['Timeout', 'At', 'Timer', 'Verdict', 'Detector']} />
        <Table.Tbody>
          {episode.timeouts.map(
            ({ ordinal, at_ns: at, rto_ns: rto, verdict, reason, answer, answered_ns: answered }) => (
              <Table.Tr key={ordinal}>
                <Table.Th scope="row" fw={400}>
                  {ordinal}
                </Table.Th>
                <Table.Td className="quantity">{formatInstant(at)}</Table.Td>
                <Table.Td className="quantity">{rto === null ? '–' : formatTime(rto, 2)}</Table.Td>
                <Judged verdict={verdict} reason={reason} />
                <Table.Td>
                  {answer === null ? (
                    'said nothing'
                  ) : (
                    <Answer
                      right={isRight(verdict, answer)}
                      text={`${answer}${answered === null ? '' : ` after ${formatTime(answered - at, 2)}`}${RIGHT[String(isRight(verdict, answer))]}`}
                    />
                  )}
                </Table.Td>
              </Table.Tr>
            ),
          )}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** Whether an answer agrees with the verdict; `null` where that cannot be said. */
function isRight(verdict: string, answer: string): boolean | null {
  const judged = [verdict, answer].every((word) => word === 'spurious' || word === 'genuine');
  return judged ? answer === verdict : null;
}

const RIGHT: Readonly<Record<string, string>> = { true: ': right', false: ': wrong', null: '' };

function FastRetransmits({ episode }: { readonly episode: Episode }) {
  return (
    <WideTable label="Fast retransmits of the episode" minWidth={460}>
      <Table verticalSpacing={4}>
        <Heads of={['Fast retransmit of octet', 'At', 'Verdict']} />
        <Table.Tbody>
          {episode.fast_retransmits.map(({ at_ns: at, una, verdict, reason }) => (
            <Table.Tr key={at}>
              <Table.Th scope="row" fw={400}>
                {groupThousands(una)}
              </Table.Th>
              <Table.Td className="quantity">{formatInstant(at)}</Table.Td>
              <Judged verdict={verdict} reason={reason} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function Judged({ verdict, reason }: { readonly verdict: string; readonly reason: string | null }) {
  return (
    <Table.Td>
      <span className="verdict" data-tone={TONES[verdict] ?? 'unknown'}>
        {verdict}
      </span>
      {reason !== null && `: ${reasonInWords(reason)}`}
    </Table.Td>
  );
}

const TONES: Readonly<Record<string, string>> = { spurious: 'bad', genuine: 'good' };

function Facts({ episode }: { readonly episode: Episode }) {
  const { before, after, cost } = episode;
  return (
    <Group component="dl" gap="lg" m={0}>
      <Fact name="Lost">{plural(cost.packets_lost, 'packet')}</Fact>
      <Fact name="Sent unnecessarily">{formatOctets(cost.octets_unnecessary)}</Fact>
      <Fact name="Longest silence">{formatTime(cost.silence_ns)}</Fact>
      <Fact name="Until recovery">{formatTime(cost.duration_ns)}</Fact>
      {before !== null && after !== null && (
        <Fact name="cwnd, before and after">
          {formatOctets(before.cwnd_bytes)} → {formatOctets(after.cwnd_bytes)}
        </Fact>
      )}
    </Group>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} size="sm">
        {children}
      </Text>
    </div>
  );
}

/** A stretch about an instant of an episode: a fifth of it on either side. */
function around(at: number, { cost }: Episode): Viewport {
  const margin = Math.max(cost.duration_ns / 5, 1e8);
  return { t0: ns(at - margin), t1: ns(at + margin), y: null };
}
