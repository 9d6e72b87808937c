import { useMemo } from 'react';
import { useNavigate } from 'react-router';

import type { Schema } from '../../api/client';
import { madeBy } from '../../lib/made-by';
import { dotsBy } from '../../parts/results';
import { Definitions } from '../../results/definitions';
import { Distributions } from '../../results/distributions';
import type { Results } from '../../results/model';
import { SaveFigures } from '../../results/save-figures';
import { hasScores, Scorecard } from '../../results/scorecard';
import { SummaryTable } from '../../results/summary-table';
import { to } from '../../ui/links';
import { Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { cellKey } from './rows';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly results: Results;
  readonly runs: readonly Schema<'RunLine'>[] | null;
}

/** The tables and figures of a batch; `metrics`, `sort` and `metric` in the address say how they are shown. */
export function Measured({ batch, results, runs }: Props) {
  const { params, change } = useAddress();
  const navigate = useNavigate();
  // A dot's key is the number of its run; none while the runs are not known.
  const dotsOf = useMemo(() => {
    const numbers = new Map(runs?.map((run) => [`${cellKey(run)} ${run.repetition}`, String(run.id)]));
    return dotsBy((cell, repetition) => numbers.get(`${cellKey(cell)} ${repetition}`) ?? null);
  }, [runs]);
  return (
    <>
      <Section title="Summary">
        <SummaryTable
          results={results}
          view={{ all: params.get('metrics') === 'all', sort: params.get('sort') }}
          onView={({ all, sort }) => change({ metrics: all ? 'all' : null, sort }, 'push')}
        />
        <Definitions results={results} all={params.get('metrics') === 'all'} />
      </Section>
      <Section title="Distributions">
        <Distributions
          results={results}
          metric={params.get('metric')}
          onMetric={(metric) => change({ metric }, 'push')}
          dotsOf={dotsOf}
          onDot={(run) => void navigate(to.run(Number(run)))}
          dotInWords="open it; the table above has the same numbers"
          save={{
            by: SaveFigures,
            file: `batch-${batch.id}`,
            provenance: `batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; ${madeBy(batch.engine)}`,
          }}
        />
      </Section>
      {hasScores(results) && (
        <Section title="Detection of spurious timeouts">
          <Scorecard results={results} />
        </Section>
      )}
    </>
  );
}
