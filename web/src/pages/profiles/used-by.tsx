import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { DocumentTold } from '../../api/documents';
import { to } from '../../ui/links';

/** The documents that name a profile: experiments, and profiles that build on it. */
export function UsedBy({ users }: { readonly users: DocumentTold['used_by'] }) {
  if (users.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No experiment or profile uses it.
      </Text>
    );
  }
  return (
    <List size="sm" spacing={2}>
      {users.map(({ kind, name }) => (
        <List.Item key={`${kind} ${name}`}>
          {kind}{' '}
          <Anchor component={Link} to={to.profile(kind, name)} inherit underline="always">
            {name}
          </Anchor>
        </List.Item>
      ))}
    </List>
  );
}
