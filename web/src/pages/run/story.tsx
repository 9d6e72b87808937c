import { Group, Paper, Stack, Title, UnstyledButton } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import type { Engine } from '../../contract/types';
import { ns } from '../../lib/brand';
import { causeInWords } from '../../lib/cause';
import { formatInstant, formatOctets, formatTime, groupThousands, plural } from '../../lib/format';
import type { Viewport } from '../../lib/viewport';
import { reasonInWords } from '../../series/words';
import { Asked } from '../../ui/asked';
import { DownloadButton } from '../../ui/buttons';
import { Fact } from '../../ui/facts';
import { Muted } from '../../ui/text';
import { Row, WideTable } from '../../ui/table';
import { Answer } from './episode-row';

type Episode = Engine<'Episode'>;

interface Props {
  readonly run: Schema<'RunView'>;
  readonly number: number;
  /** Shows a stretch in the diagram. */
  readonly onLook: (view: Viewport) => void;
}

/** What happened in an episode, in sentences, each with its instant; its timeouts; its captures. */
export function Story({ run, number, onLook }: Props) {
  const query = api.useQuery('get', '/api/v1/runs/{id}/episodes/{number}', {
    params: { path: { id: run.id, number } },
  });
  return (
    <Asked query={query} failed="The episode could not be read" what={`episode ${number}`} rows={6}>
      {(episode) => (
        <Paper withBorder p="md" component="article" aria-labelledby="story">
          <Stack gap="sm">
            <Title order={3} size="h5" id="story">
              Episode {number}: {causeInWords(episode.cause).toLowerCase()} at{' '}
              {formatInstant(episode.onset_ns)}
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
              <Muted>{plural(episode.untold, 'more event')}; the analysis lists them all.</Muted>
            )}
            {episode.timeouts.length > 0 && <Timeouts episode={episode} />}
            {episode.fast_retransmits.length > 0 && <FastRetransmits episode={episode} />}
            <EpisodeFacts episode={episode} />
            <Group gap="xs">
              {(['server', 'client'] as const)
                .filter((end) => run.result?.files.some(({ name }) => name === `${end}.pcapng`))
                .map((end) => (
                  <DownloadButton
                    key={end}
                    href={`/api/v1/runs/${run.id}/episodes/${number}/captures/${end}`}
                    download={`run-${run.id}-episode-${number}-${end}.pcapng`}
                  >
                    Capture of this episode, {end}
                  </DownloadButton>
                ))}
            </Group>
          </Stack>
        </Paper>
      )}
    </Asked>
  );
}

function Timeouts({ episode }: { readonly episode: Episode }) {
  return (
    <WideTable
      label="Timeouts of the episode"
      minWidth={460}
      verticalSpacing={4}
      heads={['Timeout', 'At', 'Timer', 'Verdict', 'Detector']}
    >
      {episode.timeouts.map(
        ({ ordinal, at_ns: at, rto_ns: rto, verdict, reason, answer, answered_ns: answered }) => (
          <Row
            key={ordinal}
            head={ordinal}
            cells={[
              { className: 'quantity', children: formatInstant(at) },
              { className: 'quantity', children: rto === null ? '–' : formatTime(rto, 2) },
              <Judged verdict={verdict} reason={reason} />,
              answer === null ? (
                'said nothing'
              ) : (
                <Answer
                  right={isRight(verdict, answer)}
                  text={`${answer}${answered === null ? '' : ` after ${formatTime(answered - at, 2)}`}${RIGHT[String(isRight(verdict, answer))]}`}
                />
              ),
            ]}
          />
        ),
      )}
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
    <WideTable
      label="Fast retransmits of the episode"
      minWidth={460}
      verticalSpacing={4}
      heads={['Fast retransmit of octet', 'At', 'Verdict']}
    >
      {episode.fast_retransmits.map(({ at_ns: at, una, verdict, reason }) => (
        <Row
          key={at}
          head={groupThousands(una)}
          cells={[
            { className: 'quantity', children: formatInstant(at) },
            <Judged verdict={verdict} reason={reason} />,
          ]}
        />
      ))}
    </WideTable>
  );
}

function Judged({ verdict, reason }: { readonly verdict: string; readonly reason: string | null }) {
  return (
    <>
      <span className="verdict" data-tone={TONES[verdict] ?? 'unknown'}>
        {verdict}
      </span>
      {reason !== null && `: ${reasonInWords(reason)}`}
    </>
  );
}

const TONES: Readonly<Record<string, string>> = { spurious: 'bad', genuine: 'good' };

function EpisodeFacts({ episode }: { readonly episode: Episode }) {
  const { before, after, cost } = episode;
  return (
    <Group component="dl" gap="lg" m={0}>
      <Fact name="Lost">{known(cost.packets_lost, (lost) => plural(lost, 'packet'))}</Fact>
      <Fact name="Sent unnecessarily">{known(cost.octets_unnecessary, formatOctets)}</Fact>
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

/** A number in words; of packets that were seen at one end some are not known. */
const known = (number: number | null, inWords: (number: number) => string) =>
  number === null ? 'not known' : inWords(number);

/** A stretch about an instant of an episode: a fifth of it on either side. */
function around(at: number, { cost }: Episode): Viewport {
  const margin = Math.max(cost.duration_ns / 5, 1e8);
  return { t0: ns(at - margin), t1: ns(at + margin), y: null };
}
