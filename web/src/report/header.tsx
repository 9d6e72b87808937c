import type { Engine } from '../contract/types';
import { plural } from '../lib/format';
import { madeBy } from '../lib/made-by';
import { Facts } from '../results/facts';
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
      <Facts
        facts={[
          ['After', experiment.source && lined(experiment.source)],
          ...workloadsOf(experiment).map(
            ({ title, summary }) => ['Workload', lined(title, ...summary)] as const,
          ),
          ...experiment.links.map((link) => ['Link', lined(link.title, ...link.summary)] as const),
          [
            'Runs',
            lined(
              `${plural(report.runs.length, 'run')}: ${plural(report.cells.length, 'cell')} of ${plural(experiment.repetitions, 'repetition')}`,
              ...report.copied.map(
                (link) =>
                  `nothing is random on ${link}: all repetitions are copies of one run, and count as one`,
              ),
              ...liveInWords(report),
              `seed ${experiment.seed}; a repetition meets the same link whatever the variant`,
            ),
          ],
          ['Made by', lined(madeBy(experiment))],
          [
            'Claims',
            report.claims.length > 0 &&
              lined(
                [
                  `${count('reproduced')} of ${report.claims.length} reproduced`,
                  count('not reproduced') > 0 ? `${count('not reproduced')} not reproduced` : '',
                  count('cannot be decided') > 0 ? `${count('cannot be decided')} cannot be decided` : '',
                ]
                  .filter((part) => part !== '')
                  .join(', '),
              ),
          ],
        ]}
      />
    </header>
  );
}

/** The workload, or each of several. */
function workloadsOf({ workload, links }: Report['experiment']) {
  const several = links.flatMap((link) => link.workload ?? []);
  return several.length === 0
    ? [workload]
    : several.filter(({ name }, place) => several.findIndex((other) => other.name === name) === place);
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

/** Parts of a fact, with a sign between them. */
const lined = (...lines: readonly string[]) => lines.map((line, i) => <span key={i}>{line}</span>);
