import { useMemo, useState } from 'react';

import { Claims } from '../results/claims';
import { Distributions } from '../results/distributions';
import { cellKey, type Cell } from '../results/model';
import { hasScores, Scorecard } from '../results/scorecard';
import { SummaryTable, type SummaryView } from '../results/summary-table';
import type { Report } from '../series/report';
import { resultsOf } from './values';

interface Props {
  readonly report: Report;
  /** The key of the run on show. */
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}

/** What the runs measured: summary, claims, distributions, detectors. */
export function Measured({ report, selected, onSelect }: Props) {
  const results = useMemo(() => resultsOf(report), [report]);
  const [view, setView] = useState<SummaryView>({ all: false, sort: null });
  const [metric, setMetric] = useState<string | null>(null);
  const dotsOf = (cell: Cell, of: string) =>
    report.runs
      .filter(
        (run) => cellKey(run) === cellKey(cell) && run.link === cell.link && run.certificate?.valid !== false,
      )
      .flatMap(({ key, metrics, repetition }) => {
        const value = metrics[of];
        return value === undefined ? [] : [{ key, value, repetition }];
      });
  return (
    <>
      <section id="summary">
        <h2>Summary</h2>
        <SummaryTable results={results} view={view} onView={setView} />
      </section>
      {report.claims.length > 0 && (
        <section id="claims">
          <h2>Claims</h2>
          <Claims claims={report.claims} testbeds={report.testbeds} />
        </section>
      )}
      <section id="distributions">
        <h2>Distributions</h2>
        <Distributions
          results={results}
          metric={metric}
          onMetric={setMetric}
          dotsOf={dotsOf}
          selected={selected}
          onDot={onSelect}
          dotInWords="see its diagram"
        />
      </section>
      {hasScores(results) && (
        <section id="detection">
          <h2>Detection of spurious timeouts</h2>
          <Scorecard results={results} />
        </section>
      )}
    </>
  );
}
