import { Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';

import type { Schema } from '../../api/client';
import { causeOf, noticeInWords } from '../../ui/rounds';
import { sentence } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { RoundBadge } from '../../ui/round-badge';
import { Row, WideTable } from '../../ui/table';

type Round = Schema<'RoundView'>;

/** The rounds of a schedule: why each was, its batch, the verdict in words, and what became of its notices. */
export function Rounds({ rounds }: { readonly rounds: readonly Round[] }) {
  // On a narrow screen the words would stand beside it.
  return useMediaQuery('(max-width: 48em)') ? <RoundLines rounds={rounds} /> : <RoundTable rounds={rounds} />;
}

function RoundTable({ rounds }: { readonly rounds: readonly Round[] }) {
  return (
    <WideTable
      label="Rounds"
      minWidth={720}
      verticalSpacing="sm"
      heads={['When', 'Why', 'Batch', 'Outcome', 'In words']}
    >
      {rounds.map((round) => (
        <Row
          key={round.id}
          head={<Moment at={round.asked_at} />}
          cells={[
            causeOf(round),
            <Batch key="batch" round={round} />,
            <RoundBadge key="badge" round={round} />,
            <Words key="words" round={round} />,
          ]}
        />
      ))}
    </WideTable>
  );
}

/** One below the other. */
function RoundLines({ rounds }: { readonly rounds: readonly Round[] }) {
  return (
    <ul className="lines" aria-label="Rounds">
      {rounds.map((round) => (
        <li key={round.id}>
          <Stack gap={4}>
            <Group gap="xs">
              <RoundBadge round={round} />
              <Text size="sm" span>
                <Moment at={round.asked_at} />, {causeOf(round)}
                {round.batch !== null && (
                  <>
                    , batch <Batch round={round} />
                  </>
                )}
              </Text>
            </Group>
            <Words round={round} />
          </Stack>
        </li>
      ))}
    </ul>
  );
}

function Batch({ round: { batch } }: { readonly round: Round }) {
  if (batch === null) return null;
  return (
    <TextLink to={to.batch(batch)} fw={600}>
      {batch}
    </TextLink>
  );
}

function Words({ round }: { readonly round: Round }) {
  const said = [round.gate?.words ?? null, round.reason].filter((text) => text !== null);
  return (
    <Stack gap={2} maw="60ch" style={{ overflowWrap: 'anywhere' }}>
      {said.map((text) => (
        <Text key={text} size="sm">
          {sentence(text)}
        </Text>
      ))}
      {round.notices.map((notice) => (
        <Text key={notice.key} size="xs" c="dimmed">
          Notice {noticeInWords(notice)}
        </Text>
      ))}
    </Stack>
  );
}
