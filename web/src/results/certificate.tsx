import { Fragment } from 'react';

import { certificateFacts } from '../series/certificate-words';
import type { Certificate } from '../series/report';

/** How true to its plan a live run was, with every number that says so. */
export function CertificateFacts({ certificate }: { readonly certificate: Certificate }) {
  return (
    <dl className="facts certificate-facts">
      {certificateFacts(certificate).map(({ name, meaning, text }) => (
        <Fragment key={name}>
          <dt title={meaning}>{name}</dt>
          <dd className={text === null ? 'none' : undefined}>{text ?? 'not measured'}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
