import { madeBy } from '../../lib/made-by';
import { Facts } from '../../results/facts';
import { PartingContents } from '../../results/parting';
import type { PartingPage } from '../../series/parting';
import type { RunStore } from '../runs';
import { ThemeButton } from '../theme-button';
import { useTheme } from '../use-theme';
import { Diagrams } from './diagrams';

interface Props {
  readonly page: PartingPage;
}

/** Two runs: where they part, by which decisions, both in diagrams about that instant, and what it cost. */
export function TwoRuns({ page, store }: Props & { readonly store: RunStore }) {
  const [theme, choice, setChoice] = useTheme();
  return (
    <main className="reproduction">
      <ThemeButton choice={choice} onChange={setChoice} />
      <Heading page={page} />
      <Diagrams page={page} store={store} theme={theme} />
      <PartingContents page={page} />
      <footer>Made by {madeBy(page.engine)}. This page needs no network.</footer>
    </main>
  );
}

/** What was compared, and where they part. */
export function Heading({ page }: Props) {
  const { titles, lead, about, difference } = page;
  const [heading, ...rest] = lead;
  return (
    <header className="head">
      <p className="kicker">
        <span>Windlull first difference</span>
      </p>
      <h1>{heading}</h1>
      <p className="lead">{rest.join(' ')}</p>
      <Facts
        facts={[
          ['A', titles[0]],
          ['B', titles[1]],
          ['Compared', about.join(' ')],
          ['Notes', difference.notes.join(' ')],
        ]}
      />
    </header>
  );
}
