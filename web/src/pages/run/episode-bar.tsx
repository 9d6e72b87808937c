import { ActionIcon, Anchor, Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { formatInstant, plural } from '../../lib/format';
import { causeInWords } from '../../lib/cause';

interface Props {
  /** Those that are listed. */
  readonly episodes: readonly Schema<'EpisodeLine'>[];
  readonly chosen: Schema<'EpisodeLine'> | null;
  readonly onStep: (by: 1 | -1) => void;
  /** Shows the whole run again. */
  readonly onLeave: () => void;
}

/** Steps through the episodes while one looks at the diagram; the list with the stories stands below it. */
export function EpisodeBar({ episodes, chosen, onStep, onLeave }: Props) {
  if (episodes.length === 0) return null;
  const at = episodes.findIndex(({ number }) => number === chosen?.number);
  return (
    <Group gap="xs" wrap="nowrap" mb="xs" role="group" aria-label="Step through the episodes">
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Previous episode"
        disabled={at === 0}
        onClick={() => onStep(-1)}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Next episode"
        disabled={at === episodes.length - 1}
        onClick={() => onStep(1)}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
      <Text size="sm" lineClamp={2} style={{ flex: 1 }} aria-live="polite">
        {chosen === null ? (
          `${plural(episodes.length, 'episode')}: step through them, or choose one below.`
        ) : (
          <>
            <b>
              {chosen.number}. {causeInWords(chosen.cause)} at {formatInstant(chosen.onset_ns)}.
            </b>{' '}
            {chosen.headline}
          </>
        )}
      </Text>
      {chosen !== null && (
        <>
          <Anchor
            component="button"
            type="button"
            size="sm"
            style={{ whiteSpace: 'nowrap' }}
            onClick={() => document.getElementById('story')?.scrollIntoView()}
          >
            Its story
          </Anchor>
          <Button variant="default" size="xs" onClick={onLeave}>
            All
          </Button>
        </>
      )}
    </Group>
  );
}
