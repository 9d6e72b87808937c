import { madeBy } from '../../lib/made-by';
import { Facts } from '../../results/facts';
import { Table } from '../../results/table';
import type { Learned } from '../../series/learned';
import { ThemeButton } from '../theme-button';
import { useTheme } from '../use-theme';
import { Way } from './way';

interface Props {
  readonly learned: Learned;
}

const DIRECTIONS = ['down', 'up'] as const;

/** The report of a learned link: its values, what is not known of it, and its figures over what was captured. */
export function LearnedLink({ learned }: Props) {
  const [, choice, setChoice] = useTheme();
  return (
    <main className="reproduction learned">
      <ThemeButton choice={choice} onChange={setChoice} />
      <Contents learned={learned} />
    </main>
  );
}

/** All of it but the choice of colours. */
export function Contents({ learned }: Props) {
  const { captures, data } = learned;
  const ordered = data === 'down' ? DIRECTIONS : DIRECTIONS.toReversed();
  return (
    <>
      <header className="head">
        <p className="kicker">
          <span>Windlull learned link</span>
        </p>
        <h1>Learned from {captures.join(' and ')}</h1>
        <p className="lead">
          {captures.length === 1
            ? 'A link learned from the capture of the end that sent the data, over what that capture shows.'
            : 'A link learned from the captures of both ends of a transfer, over what they show.'}
        </p>
        <Facts
          facts={[
            [
              'Captured',
              `${learned.length_s} s, the data ${data === 'down' ? 'to the client' : 'to the server'}`,
            ],
            ['Windows', `${learned.window_s} s`],
            [
              'Clocks',
              captures.length > 1 &&
                learned.clocks_s !== 0 &&
                `They disagree: transit times down are shown with ${milliseconds(learned.clocks_s)} added, up with as much taken away.`,
            ],
            ['Notes', learned.notes.join(' ')],
          ]}
        />
      </header>
      <section id="values">
        <h2>What was learned</h2>
        <Table
          className="values"
          label="What was learned"
          columns={[
            { name: 'Value' },
            { name: 'Direction', className: 'words' },
            { name: 'Learned', className: 'words' },
            { name: '95 % interval', className: 'words' },
            { name: 'From', className: 'words' },
          ]}
        >
          <tbody>
            {learned.values.map(({ on, name, value, interval, basis }) => (
              <tr key={`${on} ${name}`}>
                <th scope="row">{name}</th>
                <td>{on}</td>
                <td className="value">{value}</td>
                <td>{interval ?? <span className="none">none</span>}</td>
                <td className="basis">{basis}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </section>
      <section id="unknown">
        <h2>What is not known</h2>
        <ul>
          {learned.unknown.map(({ on, text }) => (
            <li key={`${on} ${text}`}>
              <span className="on">{on}</span> {text}
            </li>
          ))}
        </ul>
      </section>
      {ordered.map((name) => {
        const way = learned[name];
        return way === null ? null : <Way key={name} {...{ learned, name, way }} />;
      })}
      <section id="link">
        <h2>The link file</h2>
        <details className="assumed">
          <summary>As it was written</summary>
          <pre>{learned.link}</pre>
        </details>
      </section>
      <footer>Made by {madeBy(learned.engine)}. This page needs no network.</footer>
    </>
  );
}

const milliseconds = (seconds: number) => `${Number((1e3 * seconds).toPrecision(4))} ms`;
