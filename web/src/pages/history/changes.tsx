import { Text } from '@mantine/core';
import { Fragment } from 'react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { Muted } from '../../ui/text';

interface Props {
  readonly hunks: readonly Schema<'HunkView'>[];
  /** So many lines more there are. */
  readonly leftOut: number;
}

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

/** Which lines of a text were removed and added, with some lines around them. */
export function Changes({ hunks, leftOut }: Props) {
  if (hunks.length === 0) return <Text size="sm">Both have the same text.</Text>;
  return (
    <>
      <div className="changes" role="group" aria-label="Changed lines" tabIndex={0}>
        {hunks.map(({ before, after, lines }) => (
          <Fragment key={`${before} ${after}`}>
            <div className="changes-place">line {after}</div>
            {lines.map(({ change, text }, i) => (
              <div key={i} data-change={change}>
                {SIGNS[change]} {text}
              </div>
            ))}
          </Fragment>
        ))}
      </div>
      {leftOut > 0 && <Muted>{plural(leftOut, 'line')} more are left out.</Muted>}
    </>
  );
}
