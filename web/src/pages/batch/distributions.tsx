import { useMemo } from 'react';
import { useNavigate } from 'react-router';

import { madeBy } from '../../lib/made-by';
import type { Schema } from '../../api/client';
import { Boxes } from '../../parts/boxes';
import { to } from '../../ui/links';
import { Section } from '../../ui/section';
import { useAddress } from '../../ui/use-address';
import { boxRows } from './box-rows';
import { metricsOf } from './summary';
import type { TitledCell } from './titled';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly cells: readonly TitledCell[];
  readonly runs: readonly Schema<'RunLine'>[] | null;
}

const FIRST = 'elapsed_s';

/** Box plots of one metric, `metric` in the address. */
export function Distributions({ batch, cells, runs }: Props) {
  const { params, change } = useAddress();
  const navigate = useNavigate();
  const names = metricsOf(cells, true);
  const asked = params.get('metric');
  const name = [asked, FIRST].find((one) => one !== null && names.includes(one)) ?? names.at(0);
  const rows = useMemo(() => (name === undefined ? [] : boxRows(cells, name, runs)), [cells, name, runs]);
  if (name === undefined) return null;
  return (
    <Section title="Distributions">
      <Boxes
        names={names}
        name={name}
        onMetric={(next) => {
          change({ metric: next === FIRST ? null : next }, 'push');
        }}
        rows={rows}
        of={{
          file: `batch-${batch.id}`,
          provenance: `batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; ${madeBy(batch.engine)}`,
        }}
        onDot={(run) => void navigate(to.run(Number(run)))}
        dotInWords="open it; the table above has the same numbers"
      />
    </Section>
  );
}
