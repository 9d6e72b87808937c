import { Alert, Anchor, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { to } from '../../ui/links';
import { stateInWords } from '../../ui/states';
import { withoutPartner, type Choice } from './choice';
import { titleIn } from '../../results/model';
import type { Resolved } from '../../parts/use-resolved';

interface Props {
  readonly runs: readonly Schema<'RunLine'>[];
  readonly choice: Choice;
  readonly titles: Resolved;
}

/** A longer list helps nobody. */
const MOST_LISTED = 10;

/** Repetitions that are left out because a run of them has no partner, and why. */
export function Partners({ runs, choice, titles }: Props) {
  const alone = withoutPartner(runs, choice);
  if (alone.length === 0) return null;
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${plural(alone.length, 'repetition')} without a partner`}
    >
      <List size="sm">
        {alone.slice(0, MOST_LISTED).map(({ repetition, without }) => (
          <List.Item key={repetition}>
            Repetition {repetition}:{' '}
            {without.map(({ variant, run }, i) => (
              <span key={variant}>
                {i > 0 && ', '}
                {titleIn(titles.variants, variant)}{' '}
                {run === null ? (
                  'was not planned here'
                ) : (
                  <>
                    is{' '}
                    <Anchor component={Link} to={to.run(run.id)} size="sm">
                      {stateInWords(run.state)}
                    </Anchor>
                  </>
                )}
              </span>
            ))}
          </List.Item>
        ))}
        {alone.length > MOST_LISTED && <List.Item>and {alone.length - MOST_LISTED} more</List.Item>}
      </List>
    </Alert>
  );
}
