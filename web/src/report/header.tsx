import type { Engine } from '../contract/types';
import { plural } from '../lib/format';
import { madeBy } from '../lib/made-by';
import type { Report } from '../series/report';

/** What the experiment is and where its numbers come from. */
export function Header({ report }: { readonly report: Report }) {
  const { experiment } = report;
  const count = (status: string) => report.claims.filter((claim) => claim.status === status).length;
  return (
    <header className="head">
      <p className="kicker">
        <span>Windlull experiment</span> <code>{experiment.name}</code>
      </p>
      <h1>{experiment.title}</h1>
      {experiment.description !== '' && <p className="lead">{experiment.description}</p>}
      <dl className="facts">
        {experiment.source !== '' && <Fact name="After" lines={[experiment.source]} />}
        <Fact name="Workload" lines={[experiment.workload.title, ...experiment.workload.summary]} />
        {experiment.links.map((link) => (
          <Fact key={link.name} name="Link" lines={[link.title, ...link.summary]} />
        ))}
        <Fact
          name="Runs"
          lines={[
            `${plural(report.runs.length, 'run')}: ${plural(report.cells.length, 'cell')} of ${plural(experiment.repetitions, 'repetition')}`,
            ...report.copied.map(
              (link) =>
                `nothing is random on ${link}: all repetitions are copies of one run, and count as one`,
            ),
            ...liveInWords(report),
            `seed ${experiment.seed}; a repetition meets the same link whatever the variant`,
          ]}
        />
        <Fact name="Made by" lines={[madeBy(experiment)]} />
        {report.claims.length > 0 && (
          <Fact
            name="Claims"
            lines={[
              [
                `${count('reproduced')} of ${report.claims.length} reproduced`,
                count('not reproduced') > 0 ? `${count('not reproduced')} not reproduced` : '',
                count('cannot be decided') > 0 ? `${count('cannot be decided')} cannot be decided` : '',
              ]
                .filter((part) => part !== '')
                .join(', '),
            ]}
          />
        )}
      </dl>
    </header>
  );
}

function liveInWords(report: Report): string[] {
  const live = report.runs.filter((run) => run.certificate !== null);
  if (live.length === 0) return [];
  const invalid = live.filter((run) => run.certificate?.valid === false).length;
  const { live: setup } = report.experiment;
  const peer = setup ? [`data receiver: ${PEERS[setup.peer]}`] : [];
  return [
    `${report.runs.length - live.length} simulated, ${live.length} live${invalid === 0 ? ', all valid' : `, ${invalid} of them not valid`}`,
    ...peer,
  ];
}

/** Whose TCP receives the data. */
const PEERS: Readonly<Record<Engine<'Peer'>, string>> = {
  same: 'of the sender’s kind',
  linux: 'always the kernel’s',
  windlull: 'always ours',
};

function Fact({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {lines.map((line, i) => (
          <span key={i}>{line}</span>
        ))}
      </dd>
    </>
  );
}
