import type { ClaimStatus, Report } from '../series/report';

const SIGNS: Readonly<Record<ClaimStatus, string>> = {
  reproduced: '✓',
  'not reproduced': '✗',
  'cannot be decided': '?',
};

/** What the experiment claims, or the paper that it repeats, and whether our numbers say so. */
export function Claims({ report }: { readonly report: Report }) {
  if (report.claims.length === 0) return null;
  return (
    <section id="claims">
      <h2>Claims</h2>
      <ul className="claims">
        {report.claims.map((claim) => (
          <li key={claim.id} id={`claim-${claim.id}`}>
            <span className="pill" data-status={claim.status}>
              <span aria-hidden="true">{SIGNS[claim.status]}</span> {claim.status}
            </span>
            <div>
              <p className="claim">{claim.text}</p>
              <p className="measured">
                {claim.measured !== '' && <b>{claim.measured}</b>}
                {claim.criterion !== '' && <span className="criterion">Criterion: {claim.criterion}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
