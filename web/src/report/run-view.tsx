import { useMemo, useRef, useState } from 'react';

import { ns } from '../lib/brand';
import { plural } from '../lib/format';
import type { Viewport } from '../lib/viewport';
import type { Theme } from '../diagram/options';
import type { Linked } from '../figures/linked';
import type { Report, RunEntry } from '../series/report';
import { CertificatePanel } from './certificate';
import { Diagram } from './diagram';
import type { RunStore } from './runs';
import { formatMetric } from '../lib/metric';
import { remarksOn } from '../lib/remarks';
import { hasLive, testbedTitle } from '../results/model';
import { TestbedTag } from '../results/testbed-tag';
import { TimeoutsTable } from './timeouts-table';
import { useRun } from './use-run';
import { useWidth } from '../figures/use-width';
import { linkTitle, metricOf, provenanceOf, variantTitle } from './values';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  readonly run: RunEntry;
  readonly other: RunEntry | null;
  readonly theme: Theme;
  readonly view: Viewport | null;
  readonly onView: (view: Viewport | null) => void;
}

/** The diagram of a run, or of two runs that met the same link. */
export function RunView({ report, store, run, other, theme, view, onView }: Props) {
  const first = useRun(store, run.key);
  const second = useRun(store, other?.key ?? null);
  const [linked] = useState(() => new Set<Linked>());
  const [stacked, setStacked] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [one, two] = [first, second].map((loaded) => (loaded && 'run' in loaded ? loaded.run : null));
  const alongside = useMemo(() => [two, one].map((other) => (other === null ? [] : [other])), [one, two]);
  const lengths = [one, two].map((run) => run?.overview.series.duration ?? 0);
  const extent = { from: ns(0), to: ns(Math.max(...lengths)) };
  const ready = other === null || second !== null;
  return (
    <>
      {other !== null && (
        <div className="options">
          <span>
            {run.certificate || other.certificate
              ? `Both have the seed of repetition ${run.repetition}; a live link is as true to it as its certificate says.`
              : `Both meet the same link: repetition ${run.repetition}.`}{' '}
            The time axes are linked.
          </span>
          <button
            type="button"
            className="choice arrange"
            aria-pressed={!stacked}
            onClick={() => setStacked(!stacked)}
          >
            side by side
          </button>
        </div>
      )}
      <div ref={frame} className={other === null ? 'runs one' : stacked ? 'runs stacked' : 'runs beside'}>
        {[
          { entry: run, loaded: first },
          { entry: other, loaded: second },
        ].map(({ entry, loaded }, i) =>
          entry === null ? null : (
            <article key={entry.key} className="run">
              <RunFacts report={report} run={entry} />
              {entry.certificate && <CertificatePanel certificate={entry.certificate} />}
              {!ready || loaded === null ? (
                <p className="loading">Inflating the run’s data …</p>
              ) : 'error' in loaded ? (
                <p className="error" role="alert">
                  {loaded.error}
                </p>
              ) : (
                <>
                  <Diagram
                    source={loaded.run}
                    alongside={alongside[i]}
                    theme={theme}
                    density={other === null ? 'full' : 'compact'}
                    extent={extent}
                    title={`${entry.variant} on ${entry.link}, repetition ${entry.repetition}${hasLive(report.testbeds) ? `, ${testbedTitle(entry.testbed)}` : ''}`}
                    provenance={provenanceOf(report, entry)}
                    view={view}
                    onView={onView}
                    linked={linked}
                    width={width}
                  />
                  <details open={other === null}>
                    <summary>{plural(loaded.run.overview.series.timeouts.length, 'timeout')}</summary>
                    <TimeoutsTable series={loaded.run.overview.series} onView={onView} />
                  </details>
                </>
              )}
            </article>
          ),
        )}
      </div>
    </>
  );
}

function RunFacts({ report, run }: { readonly report: Report; readonly run: RunEntry }) {
  const say = (metric: string) => {
    const value = run.metrics[metric];
    return value === undefined ? null : formatMetric(value, metricOf(report, metric));
  };
  const count = (metric: string, one: string, many?: string) => {
    const value = run.metrics[metric];
    return value === undefined ? null : plural(value, one, many);
  };
  const elapsed = say('elapsed_s');
  const parts = [
    elapsed === null ? null : `${elapsed} s`,
    count('packets_lost', 'packet lost', 'packets lost'),
    joined(count('retransmissions', 'retransmission'), say('unnecessary_retransmissions'), 'unnecessary'),
    count('spurious_timeouts', 'spurious timeout'),
    count('genuine_timeouts', 'genuine timeout'),
    ...remarksOn((metric) => run.metrics[metric]),
  ].filter((part) => part !== null);
  return (
    <header className="run-head">
      <h3>
        {variantTitle(report, run.variant)} <span>repetition {run.repetition}</span>
        <TestbedTag testbed={run.testbed} among={report.testbeds} />
        {report.experiment.links.length > 1 && <span>{linkTitle(report, run.link)}</span>}
      </h3>
      <p>{parts.join(' · ')}</p>
      {run.files.length > 0 && (
        <p className="files">
          seed {run.seed} ·{' '}
          {run.files.map((file, i) => (
            <span key={file}>
              {i > 0 && ', '}
              <a href={file}>{file.slice(file.lastIndexOf('/') + 1)}</a>
            </span>
          ))}
        </p>
      )}
    </header>
  );
}

function joined(main: string | null, part: string | null, word: string): string | null {
  return main === null || part === null ? main : `${main} (${part} ${word})`;
}
