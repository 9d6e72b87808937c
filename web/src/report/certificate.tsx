import { certificateFacts } from '../series/certificate-words';
import type { Certificate } from '../series/live';

/** Whether a run is valid: the word, and a sign that does not need colour. */
export function ValidPill({ valid }: { readonly valid: boolean }) {
  return (
    <span className="pill" data-status={valid ? 'reproduced' : 'not reproduced'}>
      <span aria-hidden="true">{valid ? '✓' : '✗'}</span> {valid ? 'valid' : 'not valid'}
    </span>
  );
}

/** How true to its plan a live run was, with every number that says so. */
export function CertificatePanel({ certificate }: { readonly certificate: Certificate }) {
  const { reasons } = certificate;
  return (
    <details className="certificate" open={!certificate.valid}>
      <summary>
        Fidelity certificate <ValidPill valid={certificate.valid} />
      </summary>
      {reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason, i) => (
            <li key={i}>{reason}</li>
          ))}
        </ul>
      )}
      <dl className="facts">
        {certificateFacts(certificate).flatMap(({ name, meaning, text }) => [
          <dt key={name} title={meaning}>
            {name}
          </dt>,
          <dd key={`${name} is`} className={text === null ? 'none' : undefined}>
            {text ?? 'not measured'}
          </dd>,
        ])}
      </dl>
    </details>
  );
}
