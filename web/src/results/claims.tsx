import { Fragment } from 'react';

import type { Claim } from '../series/report';
import { Mark } from './mark';
import { TestbedTag } from './testbed-tag';

interface Props {
  readonly claims: readonly Claim[];
  readonly testbeds: readonly string[];
}

/** Claims with their status in each testbed: what was measured, by which criterion, and what the paper printed for it. */
export function Claims({ claims, testbeds }: Props) {
  if (claims.length === 0) return null;
  return (
    <ul className="claims">
      {claims.map((claim, i) => {
        const again = claims.findIndex(({ id }) => id === claim.id) < i;
        return (
          <li key={`${claim.id} ${claim.testbed ?? ''}`} data-again={again}>
            <Mark word={claim.status} />
            <div>
              {!again && <p className="claim">{claim.text}</p>}
              <dl className="facts evidence">
                <dt>measured</dt>
                <dd>
                  {claim.testbed !== null && <TestbedTag testbed={claim.testbed} among={testbeds} />}
                  <b>{claim.measured === null || claim.measured === '' ? 'nothing yet' : claim.measured}</b>
                </dd>
                <Line name="criterion" text={again ? '' : claim.criterion} />
                <Line name="published" text={claim.published} />
                <Line name="what differs" text={claim.note} />
              </dl>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Line({ name, text }: { readonly name: string; readonly text: string | null | undefined }) {
  if (!text) return null;
  return (
    <Fragment>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </Fragment>
  );
}
