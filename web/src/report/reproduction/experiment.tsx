import { plural } from '../../lib/format';
import type { Report } from '../../series/report';
import type { Theme } from '../../diagram/options';
import type { RunStore } from '../runs';
import { anchorOf } from '../../results/anchor';
import { Claims } from '../../results/claims';
import { FigurePart } from './figure';
import { Published } from './published';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** One table or figure of a paper: the numbers, the figure, the claims, and what was assumed. */
export function Experiment({ report, store, theme }: Props) {
  const { experiment } = report;
  return (
    <article id={anchorOf(experiment.name)} className="experiment">
      <h3>{experiment.title}</h3>
      <p className="about">
        {experiment.source} · {plural(experiment.repetitions, 'repetition')} of{' '}
        {plural(experiment.variants.length, 'variant')}
        {experiment.links.length > 1 && ` on ${plural(experiment.links.length, 'link')}`} · seed{' '}
        {experiment.seed} · <a href={`${report.directory}/report.html`}>its own report</a>
      </p>
      {experiment.description !== '' && <p>{experiment.description}</p>}
      <Published report={report} />
      {experiment.figures?.map((figure, i) => (
        <FigurePart key={i} report={report} figure={figure} store={store} theme={theme} />
      ))}
      <Claims claims={report.claims} testbeds={report.testbeds} />
      {experiment.assumptions.length > 0 && (
        <details className="assumed">
          <summary>
            {plural(experiment.assumptions.length, 'assumption')}: what the paper does not give, or is done
            otherwise here
          </summary>
          <ol className="assumptions">
            {experiment.assumptions.map((line, i) => (
              <li key={i}>{line}</li>
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}
