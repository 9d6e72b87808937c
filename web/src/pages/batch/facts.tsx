import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import { BatchTags } from '../../ui/batch/batch-facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';

/** What a batch is: experiment, seed, engine, when. */
export function Facts({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const { id, experiment, repetitions, seed, engine, created_at: made, known_before: known } = batch;
  return (
    <Group gap="xs">
      <BatchBadge batch={batch} />
      <BatchTags batch={batch} />
      <Text size="sm">
        Batch {id} of{' '}
        {batch.imported ? (
          <code>{experiment}</code>
        ) : (
          <Anchor component={Link} to={to.experiment(experiment)} size="sm" underline="always">
            {experiment}
          </Anchor>
        )}
        , {plural(repetitions, 'repetition')}, seed <code>{seed}</code>, {madeBy(engine)},{' '}
        <Moment at={made} />
        {batch.priority !== 0 && `, priority ${batch.priority}`}
        {known > 0 && `; ${known} of ${plural(batch.total, 'run')} had results already and were not repeated`}
      </Text>
    </Group>
  );
}
