import { Text, UnstyledButton } from '@mantine/core';

import type { Schema } from '../../api/client';
import { causeInWords } from '../../lib/cause';
import { formatInstant, plural } from '../../lib/format';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';

type Episode = Schema<'Episode'>;

interface Props {
  readonly episodes: readonly Episode[];
  readonly chosen: Episode | null;
  readonly onChoose: (number: number) => void;
}

/** The troubles of a connection; the chosen one is told in sentences and framed in the diagram. */
export function ConnectionEpisodes({ episodes, chosen, onChoose }: Props) {
  return (
    <Section title={plural(episodes.length, 'episode')}>
      {episodes.length === 0 && (
        <Muted>No loss, no timeout, and nothing was sent twice, as far as the captures show.</Muted>
      )}
      <ol className="lines connection-episodes">
        {episodes.map((episode) => {
          const { number, cause, onset_ns, story, untold } = episode;
          const current = number === chosen?.number;
          return (
            <li key={number}>
              <UnstyledButton aria-expanded={current} onClick={() => onChoose(number)}>
                <Text size="sm" span fw={600}>
                  {number}. {causeInWords(cause)}
                </Text>{' '}
                <Muted span>
                  at {formatInstant(onset_ns)}
                  {story.length > 0 && `: ${story[0].text}`}
                </Muted>
              </UnstyledButton>
              {current && (
                <ol>
                  {story.map(({ at_ns, text }, i) => (
                    <li key={i}>
                      <Text size="sm">
                        <span className="numeric">{formatInstant(at_ns)}</span> {text}
                      </Text>
                    </li>
                  ))}
                  {untold > 0 && (
                    <li>
                      <Muted>{plural(untold, 'more thing')} happened.</Muted>
                    </li>
                  )}
                </ol>
              )}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
