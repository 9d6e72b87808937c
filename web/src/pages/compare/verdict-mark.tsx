import { Badge } from '@mantine/core';
import {
  IconArrowsLeftRight,
  IconCircleCheck,
  IconCircleX,
  IconEqual,
  IconQuestionMark,
  type Icon,
} from '@tabler/icons-react';

import type { Schema } from '../../api/client';

export type Verdict = Schema<'Finding'>['verdict'];

interface Look {
  readonly icon: Icon;
  readonly color: string;
  /** Lines of what is not decided are broken, here and in the intervals. */
  readonly broken: boolean;
}

/** A verdict differs in word, sign and line, not in colour alone. */
export const LOOKS: Readonly<Record<Verdict, Look>> = {
  better: { icon: IconCircleCheck, color: 'var(--good)', broken: false },
  worse: { icon: IconCircleX, color: 'var(--bad)', broken: false },
  differs: { icon: IconArrowsLeftRight, color: 'var(--ink)', broken: false },
  equal: { icon: IconEqual, color: 'var(--ink)', broken: false },
  inconclusive: { icon: IconQuestionMark, color: 'var(--muted)', broken: true },
};

export function VerdictMark({ verdict }: { readonly verdict: Verdict }) {
  const { icon: Sign, color, broken } = LOOKS[verdict];
  return (
    <Badge
      fw={broken ? 400 : 600}
      c={broken ? 'var(--muted)' : 'var(--mantine-color-text)'}
      leftSection={<Sign size={14} color={color} aria-hidden />}
      // Mantine cuts what does not fit; a verdict must be read in full.
      styles={{ label: { overflow: 'visible' } }}
      style={{ borderColor: color, borderStyle: broken ? 'dashed' : 'solid', minWidth: 'max-content' }}
    >
      {verdict}
    </Badge>
  );
}
