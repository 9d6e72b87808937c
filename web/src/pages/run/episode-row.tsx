import { Group, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { causeInWords } from '../../lib/cause';
import { formatInstant, plural } from '../../lib/format';
import { truthInWords, truthTone } from '../../series/explain';
import { SignBadge } from '../../ui/sign-badge';
import type { Mark } from './marks';
import './run.css';

interface Props {
  readonly episode: Schema<'EpisodeLine'>;
  readonly marks: readonly Mark[];
  readonly current: boolean;
  readonly onChoose: (number: number) => void;
}

/** An episode in the list: when, how it began, its verdicts, what the detector said. */
export function EpisodeRow({ episode, marks, current, onChoose }: Props) {
  return (
    <li>
      <UnstyledButton
        className="episode"
        aria-current={current ? 'true' : undefined}
        onClick={() => onChoose(episode.number)}
      >
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600}>
            {episode.number}. {causeInWords(episode.cause)}
          </Text>
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
            {formatInstant(episode.onset_ns)}
          </Text>
        </Group>
        <Text size="sm">{episode.headline}</Text>
        <Group gap={6} mt={4}>
          {verdicts(marks).map(({ text, tone }) => (
            <span key={text} className="verdict" data-tone={tone}>
              {text}
            </span>
          ))}
          {answers(marks).map(({ text, right }) => (
            <Answer key={text} text={text} right={right} />
          ))}
        </Group>
      </UnstyledButton>
    </li>
  );
}

/** What a detector said, and whether it was right: a word and a sign, not a colour alone. */
export function Answer({ text, right }: { readonly text: string; readonly right: boolean | null }) {
  return (
    <SignBadge
      color={right === null ? 'gray' : right ? 'teal' : 'red'}
      sign={right === null ? IconQuestionMark : right ? IconCheck : IconX}
      text={text}
      fw={400}
    />
  );
}

/** `2 timeouts, spurious`: equal ones together. */
function verdicts(marks: readonly Mark[]) {
  const kinds = [
    { kind: 'timeout', one: 'timeout' },
    { kind: 'fast', one: 'fast retransmit' },
  ] as const;
  return kinds.flatMap(({ kind, one }) => {
    const own = marks.filter((mark) => mark.kind === kind);
    return [...new Set(own.map(({ truth }) => truth))].map((truth) => {
      const count = own.filter((mark) => mark.truth === truth).length;
      return { text: `${plural(count, one)}: ${truthInWords(truth).toLowerCase()}`, tone: truthTone(truth) };
    });
  });
}

function answers(marks: readonly Mark[]) {
  const said = marks.filter(({ answer }) => answer !== null);
  const different = new Map(said.map((mark) => [`${mark.answer ?? ''} ${String(mark.right)}`, mark]));
  return [...different.values()].map(({ answer, right }) => ({
    text: `detector: ${answer ?? ''}${right === null ? '' : right ? ', right' : ', wrong'}`,
    right,
  }));
}
