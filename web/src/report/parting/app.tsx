import { madeBy } from '../../lib/made-by';
import { formatMetric, metricTitle } from '../../lib/metric';
import { Facts } from '../../results/facts';
import { Table } from '../../results/table';
import { KEYS, type PartingPage } from '../../series/parting';
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
    <main className="reproduction parting">
      <ThemeButton choice={choice} onChange={setChoice} />
      <Heading page={page} />
      <Diagrams page={page} store={store} theme={theme} />
      <Contents page={page} />
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

/** All of it but the heading and the diagrams. */
export function Contents({ page }: Props) {
  const { difference, labels } = page;
  const { parting, story, settings, costs } = difference;
  return (
    <>
      {parting !== null && (
        <section id="decisions">
          <h2>What each decided</h2>
          <Table
            className="told"
            label="What each decided"
            columns={['Run', 'Decided', 'By the rule', 'In words'].map((name) => ({
              name,
              className: 'words',
            }))}
          >
            <tbody>
              {KEYS.map((run) => {
                const { name, rule, text } = parting[run].decision;
                return (
                  <tr key={run}>
                    <th scope="row">{run.toUpperCase()}</th>
                    <td>{name}</td>
                    <td className="text">{rule ?? <span className="none">not told</span>}</td>
                    <td className="text">{text}</td>
                  </tr>
                );
              })}
            </tbody>
          </Table>
        </section>
      )}
      {story.length > 0 && (
        <section id="story">
          <h2>What happened</h2>
          <Table
            className="told"
            label="What happened"
            columns={[{ name: 'At, s' }, { name: 'Run' }, { name: 'What' }]}
          >
            <tbody>
              {story.map(({ at_ns, of, text }, i) => (
                <tr key={i}>
                  <th scope="row">{(at_ns / 1e9).toFixed(6)}</th>
                  <td>{of === 'both' ? 'both' : of.toUpperCase()}</td>
                  <td className="text">{text}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      )}
      {settings.length > 0 && <Settings settings={settings} />}
      {costs.length > 0 && <Costs costs={costs} labels={labels} />}
    </>
  );
}

function Settings({ settings }: Pick<PartingPage['difference'], 'settings'>) {
  return (
    <section id="settings">
      <h2>Settings that differ</h2>
      <Table
        className="told"
        label="Settings that differ"
        columns={['Setting', 'A', 'B'].map((name) => ({ name }))}
      >
        <tbody>
          {settings.map(({ key, a, b }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              {[a, b].map((value, i) => (
                <td key={i}>{value ?? <span className="none">default</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

type CostsProps = Pick<PartingPage['difference'], 'costs'> & Pick<PartingPage, 'labels'>;

function Costs({ costs, labels }: CostsProps) {
  return (
    <section id="costs">
      <h2>What it cost until the end</h2>
      <Table
        className="costs"
        label="What it cost until the end"
        columns={[{ name: 'Metric' }, { name: 'A' }, { name: 'B' }, { name: 'B − A' }]}
      >
        <tbody>
          {costs.map(({ metric, a, b, difference: more }) => {
            const about = { ...labels[metric], name: metric, definition: '' };
            const say = (value: number) => formatMetric(value, about);
            return (
              <tr key={metric}>
                <th scope="row">{metricTitle(about)}</th>
                <td>{say(a)}</td>
                <td>{say(b)}</td>
                <td>{`${more > 0 ? '+' : more < 0 ? '−' : ''}${say(Math.abs(more))}`}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}
