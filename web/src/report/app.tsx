import { useCallback, useEffect, useRef, useState } from 'react';

import type { Viewport } from '../lib/viewport';
import type { Report, RunEntry } from '../series/report';
import { BoxPlots } from './box-plots';
import { Claims } from './claims';
import { formatHash, parseHash, type Place } from './hash';
import { Header } from './header';
import { RunPicker } from './run-picker';
import { RunView } from './run-view';
import type { RunStore } from './runs';
import { Scorecard } from './scorecard';
import { SummaryTable } from './summary-table';
import { nextChoice, useTheme } from './use-theme';
import { variantTitle } from './values';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
}

/** The whole report. */
export function App({ report, store }: Props) {
  const [theme, choice, setChoice] = useTheme();
  const [place, setPlace] = usePlace();
  const diagrams = useRef<HTMLElement>(null);

  const run =
    report.runs.find((one) => one.key === place.run) ?? report.runs.find((one) => store.has(one.key)) ?? null;
  const other = run === null || place.versus === null ? null : counterpart(report, run, place.versus);

  const select = useCallback(
    (key: string) => {
      setPlace((old) => ({ ...old, run: key, view: old.run === key ? old.view : null }), true);
    },
    [setPlace],
  );
  const setView = useCallback(
    (view: Viewport | null) => {
      setPlace((old) => ({ ...old, run: old.run ?? run?.key ?? null, view }), false);
    },
    [setPlace, run?.key],
  );

  return (
    <main>
      <button
        type="button"
        className="theme"
        title="Colours: as the system has them, light, or dark"
        onClick={() => {
          setChoice(nextChoice(choice));
        }}
      >
        {choice === 'auto' ? '◐ auto' : choice === 'light' ? '○ light' : '● dark'}
      </button>
      <Header report={report} />
      <SummaryTable report={report} />
      <Claims report={report} />
      <BoxPlots
        report={report}
        selected={run?.key ?? null}
        onSelect={(key) => {
          select(key);
          diagrams.current?.scrollIntoView({ block: 'start' });
        }}
      />
      <Scorecard report={report} />
      <section id="runs" ref={diagrams}>
        <h2>Runs</h2>
        {run === null ? (
          <p>This report was made without diagram data.</p>
        ) : (
          <>
            <RunPicker report={report} selected={run} versus={place.versus} onSelect={select} />
            <Compare
              report={report}
              run={run}
              versus={other?.variant ?? null}
              onChange={(versus) => {
                setPlace((old) => ({ ...old, run: run.key, versus }), true);
              }}
            />
            <RunView
              report={report}
              store={store}
              run={run}
              other={other}
              theme={theme}
              view={place.view}
              onView={setView}
            />
            <p className="caption">
              <b>Time-sequence diagram.</b> Each segment is a bar over its octets at the time it was sent;
              retransmissions are judged by what the link did to the earlier copies.
            </p>
          </>
        )}
      </section>
      <Assumptions report={report} />
      <footer>
        Made by Windlull {report.experiment.version}, commit {report.experiment.commit}. This page needs no
        network.
      </footer>
    </main>
  );
}

interface CompareProps {
  readonly report: Report;
  readonly run: RunEntry;
  readonly versus: string | null;
  readonly onChange: (versus: string | null) => void;
}

function Compare({ report, run, versus, onChange }: CompareProps) {
  const others = report.experiment.variants.filter(
    (variant) => variant.name !== run.variant && counterpart(report, run, variant.name) !== null,
  );
  if (others.length === 0) return null;
  return (
    <div className="options">
      <label>
        compare with{' '}
        <select
          value={versus ?? ''}
          onChange={(event) => {
            onChange(event.target.value === '' ? null : event.target.value);
          }}
        >
          <option value="">no other variant</option>
          {others.map((variant) => (
            <option key={variant.name} value={variant.name}>
              {variantTitle(report, variant.name)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Assumptions({ report }: { readonly report: Report }) {
  const { assumptions, variants } = report.experiment;
  return (
    <section id="assumptions">
      <h2>Set-up and assumptions</h2>
      {assumptions.length > 0 && (
        <>
          <p>What the paper does not give, and what was chosen:</p>
          <ol className="assumptions">
            {assumptions.map((line, i) => (
              <li key={i}>{line}</li>
            ))}
          </ol>
        </>
      )}
      <dl className="facts variants">
        {variants.map((variant) => (
          <div key={variant.name}>
            <dt>
              <code>{variant.name}</code>
            </dt>
            <dd>
              {variant.title}
              {variant.summary !== '' && <span className="criterion">{variant.summary}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The run of another variant that met the same link. */
function counterpart(report: Report, run: RunEntry, variant: string): RunEntry | null {
  if (variant === run.variant) return null;
  return (
    report.runs.find(
      (one) => one.variant === variant && one.link === run.link && one.repetition === run.repetition,
    ) ?? null
  );
}

type SetPlace = (change: (old: Place) => Place, turn: boolean) => void;

/** Where the reader is, kept in the address. A `turn` can be gone back on; a zoom only replaces the address. */
function usePlace(): readonly [Place, SetPlace] {
  const [place, setPlace] = useState(() => parseHash(location.hash));
  const turned = useRef(false);
  useEffect(() => {
    const follow = () => {
      setPlace(parseHash(location.hash));
    };
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  useEffect(() => {
    const hash = formatHash(place);
    const push = turned.current;
    turned.current = false;
    if (hash === formatHash(parseHash(location.hash))) return undefined;
    // Browsers limit how often the address may change, so a zoom is written once it rests.
    const write = setTimeout(
      () => {
        const address = hash === '' ? location.pathname + location.search : hash;
        if (push) history.pushState(null, '', address);
        else history.replaceState(null, '', address);
      },
      push ? 0 : 200,
    );
    return () => {
      clearTimeout(write);
    };
  }, [place]);
  const change = useCallback<SetPlace>((how, turn) => {
    turned.current ||= turn;
    setPlace(how);
  }, []);
  return [place, change];
}
