import { formatMetric, metricTitle } from '../lib/metric';
import { KEYS, type PartingPage } from '../series/parting';
import { Table } from './table';

export { decodeParting } from '../series/parting';
export type { PartingPage } from '../series/parting';

interface Props {
  readonly page: PartingPage;
  /** What its parts have as their heading. */
  readonly heading?: 'h2' | 'h3';
}

/** What two runs decided where they part, what happened, what differs in their settings, and what it cost. */
export function PartingContents({ page, heading: Heading = 'h2' }: Props) {
  const { difference, labels } = page;
  const { parting, story, settings, costs } = difference;
  return (
    <>
      {parting !== null && (
        <section id="decisions">
          <Heading className="part">What each decided</Heading>
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
          <Heading className="part">What happened</Heading>
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
      {settings.length > 0 && <Settings settings={settings} heading={Heading} />}
      {costs.length > 0 && <Costs costs={costs} labels={labels} heading={Heading} />}
    </>
  );
}

type SettingsProps = Pick<PartingPage['difference'], 'settings'> & Required<Pick<Props, 'heading'>>;

function Settings({ settings, heading: Heading }: SettingsProps) {
  return (
    <section id="settings">
      <Heading className="part">Settings that differ</Heading>
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

type CostsProps = Pick<PartingPage['difference'], 'costs'> &
  Pick<PartingPage, 'labels'> &
  Required<Pick<Props, 'heading'>>;

function Costs({ costs, labels, heading: Heading }: CostsProps) {
  return (
    <section id="costs">
      <Heading className="part">What it cost until the end</Heading>
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
