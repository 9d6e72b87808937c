import { Collapse, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';

import type { Schema } from '../../api/client';
import { useAddress } from '../../ui/use-address';
import { Grid } from './grid';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly runs: readonly Schema<'RunLine'>[];
}

/**
 * The grid of all runs; `grid` in the address says whether it is open. At first it is unless all of them were done
 * already: then every sign is the same, and the results matter.
 */
export function EveryRun({ batch, runs }: Props) {
  const { params, change } = useAddress();
  const [atFirst] = useState(batch.runs['done'] !== batch.total);
  const asked = params.get('grid');
  const open = asked === null ? atFirst : asked === 'open';
  const Sign = open ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton
        fz="sm"
        aria-expanded={open}
        aria-controls="every-run"
        onClick={() => change({ grid: open ? 'closed' : 'open' }, 'replace')}
      >
        <Sign size={14} aria-hidden /> Every run, by variant and repetition
      </UnstyledButton>
      <Collapse expanded={open} id="every-run" pt="sm">
        {open && <Grid runs={runs} counts={batch.runs} />}
      </Collapse>
    </div>
  );
}
