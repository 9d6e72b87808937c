import { useCallback, useEffect, useRef, useState } from 'react';

import { madeBy } from '../lib/made-by';
import type { Viewport } from '../lib/viewport';
import type { Report } from '../series/report';
import { Assumptions } from './assumptions';
import { Compare, counterpart } from './compare';
import { formatHash, parseHash, type Permalink } from './hash';
import { Header } from './header';
import { KernelSettings } from './kernel-settings';
import { LiveRuns } from './live-runs';
import { RunPicker } from './run-picker';
import { RunView } from './run-view';
import type { RunStore } from './runs';
import { Measured } from './measured';
import { ThemeButton } from './theme-button';
import { useTheme } from './use-theme';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
}

/** The whole report. */
export function App({ report, store }: Props) {
  const [theme, choice, setChoice] = useTheme();
  const [permalink, setPermalink] = usePermalink();
  const diagrams = useRef<HTMLElement>(null);

  const run =
    report.runs.find((one) => one.key === permalink.run) ??
    report.runs.find((one) => store.has(one.key)) ??
    null;
  const other = run === null || permalink.versus === null ? null : counterpart(report, run, permalink.versus);

  const select = useCallback(
    (key: string) =>
      setPermalink((old) => ({ ...old, run: key, view: old.run === key ? old.view : null }), true),
    [setPermalink],
  );
  const show = (key: string) => {
    select(key);
    diagrams.current?.scrollIntoView({ block: 'start' });
  };
  const setView = useCallback(
    (view: Viewport | null) =>
      setPermalink((old) => ({ ...old, run: old.run ?? run?.key ?? null, view }), false),
    [setPermalink, run?.key],
  );

  return (
    <main>
      <ThemeButton choice={choice} onChange={setChoice} />
      <Header report={report} />
      <Measured report={report} selected={run?.key ?? null} onSelect={show} />
      <LiveRuns report={report} onSelect={show} />
      <section id="runs" ref={diagrams}>
        <h2>Runs</h2>
        {run === null ? (
          <p>This report was made without diagram data.</p>
        ) : (
          <>
            <RunPicker report={report} selected={run} other={other} onSelect={select} />
            <Compare
              report={report}
              run={run}
              versus={permalink.versus}
              onChange={(versus) => setPermalink((old) => ({ ...old, run: run.key, versus }), true)}
            />
            <RunView
              report={report}
              store={store}
              run={run}
              other={other}
              theme={theme}
              view={permalink.view}
              onView={setView}
            />
            <p className="caption">
              <b>Time-sequence diagram.</b> Each segment is a bar over its octets at the time it was sent;
              retransmissions are judged by what the link did to the earlier copies.
            </p>
          </>
        )}
      </section>
      <KernelSettings report={report} />
      <Assumptions report={report} />
      <footer>Made by {madeBy(report.experiment)}. This page needs no network.</footer>
    </main>
  );
}

type SetPermalink = (change: (old: Permalink) => Permalink, turn: boolean) => void;

/** Where the reader is, kept in the address. A `turn` can be gone back on; a zoom only replaces the address. */
function usePermalink(): readonly [Permalink, SetPermalink] {
  const [permalink, setPermalink] = useState(() => parseHash(location.hash));
  const turned = useRef(false);
  useEffect(() => {
    const follow = () => setPermalink(parseHash(location.hash));
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  useEffect(() => {
    const hash = formatHash(permalink);
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
    return () => clearTimeout(write);
  }, [permalink]);
  const change = useCallback<SetPermalink>((how, turn) => {
    turned.current ||= turn;
    setPermalink(how);
  }, []);
  return [permalink, change];
}
