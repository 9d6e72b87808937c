import type { ClaimStatus, Report } from '../../series/report';

const SIGNS: Readonly<Record<ClaimStatus, string>> = {
  reproduced: '✓',
  'not reproduced': '✗',
  'cannot be decided': '?',
};

/** The claims of an experiment: status, criterion, what was measured, and what the paper printed for it. */
export function ClaimList({ report }: { readonly report: Report }) {
  if (report.claims.length === 0) return null;
  return (
    <ul className="claims">
      {report.claims.map((claim) => (
        <li key={`${claim.id} ${claim.testbed}`}>
          <span className="pill" data-status={claim.status}>
            <span aria-hidden="true">{SIGNS[claim.status]}</span> {claim.status}
          </span>
          <div>
            <p className="claim">{claim.text}</p>
            <dl className="facts evidence">
              <dt>criterion</dt>
              <dd>{claim.criterion}</dd>
              <dt>measured</dt>
              <dd>{claim.measured}</dd>
              {claim.published !== '' && (
                <>
                  <dt>published</dt>
                  <dd>{claim.published}</dd>
                </>
              )}
              {claim.note !== '' && (
                <>
                  <dt>what differs</dt>
                  <dd>{claim.note}</dd>
                </>
              )}
            </dl>
          </div>
        </li>
      ))}
    </ul>
  );
}
