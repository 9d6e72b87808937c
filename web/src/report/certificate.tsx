import { CertificateFacts } from '../results/certificate';
import { Mark } from '../results/mark';
import type { Certificate } from '../series/report';

/** The certificate of a live run, open where it says that the run is not valid. */
export function CertificatePanel({ certificate }: { readonly certificate: Certificate }) {
  const { reasons, valid } = certificate;
  return (
    <details className="certificate" open={!valid}>
      <summary>
        Fidelity certificate <Mark word={valid ? 'valid' : 'not valid'} />
      </summary>
      {reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason, i) => (
            <li key={i}>{reason}</li>
          ))}
        </ul>
      )}
      <CertificateFacts certificate={certificate} />
    </details>
  );
}
