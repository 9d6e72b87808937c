import type { ClaimStatus, Report } from '../series/report';
import { TestbedTag } from './testbed-tag';

const SIGNS: Readonly<Record<ClaimStatus, string>> = {
  reproduced: '✓',
  'not reproduced': '✗',
  'cannot be decided': '?',
};

/** What the experiment claims, or the paper that it repeats, and whether our numbers say so, in each testbed. */
export function Claims({ report }: { readonly report: Report }) {
  if (report.claims.length === 0) return null;
  const first = new Map(report.claims.map((claim) => [claim.id, claim.testbed] as const).reverse());
  return (
    <section id="claims">
      <h2>Claims</h2>
      <ul className="claims">
        {report.claims.map((claim) => {
          const again = first.get(claim.id) !== claim.testbed;
          return (
            <li
              key={`${claim.id} ${claim.testbed}`}
              id={again ? undefined : `claim-${claim.id}`}
              data-again={again}
            >
              <span className="pill" data-status={claim.status}>
                <span aria-hidden="true">{SIGNS[claim.status]}</span> {claim.status}
              </span>
              <div>
                {!again && <p className="claim">{claim.text}</p>}
                <p className="measured">
                  <TestbedTag report={report} testbed={claim.testbed} />
                  {claim.measured !== '' && <b>{claim.measured}</b>}
                  {claim.criterion !== '' && !again && (
                    <span className="criterion">Criterion: {claim.criterion}</span>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
