import type { Claim } from '../series/report';
import { Facts } from './facts';
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
              <Facts
                className="evidence"
                facts={[
                  [
                    'measured',
                    <>
                      {claim.testbed !== null && <TestbedTag testbed={claim.testbed} among={testbeds} />}
                      <b>
                        {claim.measured === null || claim.measured === '' ? 'nothing yet' : claim.measured}
                      </b>
                    </>,
                  ],
                  ['criterion', again ? '' : claim.criterion],
                  ['published', claim.published],
                  ['what differs', claim.note],
                ]}
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
