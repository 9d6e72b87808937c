import { plural } from '../lib/format';
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
        <Fact name="Workload" lines={experiment.workload} />
        {experiment.links.map((link) => (
          <Fact key={link.name} name="Link" lines={[link.title, ...link.summary]} />
        ))}
        <Fact
          name="Runs"
          lines={[
            `${plural(report.runs.length, 'run')}: ${plural(report.cells.length, 'cell')} of ${plural(experiment.repetitions, 'repetition')}`,
            `seed ${experiment.seed}; a repetition meets the same link whatever the variant`,
          ]}
        />
        <Fact name="Made by" lines={[`Windlull ${experiment.version}, commit ${experiment.commit}`]} />
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
