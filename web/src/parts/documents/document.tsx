import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconCopy, IconEdit, IconHistory } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

import type { DocumentView, Shelf } from '../../api/documents';
import { LinkButton } from '../../ui/buttons';
import { DeleteDocument } from '../../ui/delete-document';
import { Problems } from '../../ui/asked';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Muted, Notice } from '../../ui/text';

interface Props {
  readonly document: DocumentView;
  readonly description: string;
  /** What has changed if it is no longer valid, and what is to be done. */
  readonly invalid: string;
  /** Its name, where it stands at no other place. */
  readonly name?: string;
  /** What is to be known besides. */
  readonly children?: ReactNode;
}

/** Where a document comes from, in which revision, what it says of itself, and what is wrong with it by now. */
export function DocumentHead({ document, description, invalid, name, children }: Props) {
  const { kind, origin, revision, updated_at: updated, source, problems } = document;
  return (
    <>
      <Stack gap={4}>
        <Group gap="xs">
          {name !== undefined && (
            <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
          )}
          <Badge c="var(--mantine-color-text)">{origin}</Badge>
          {updated !== null && revision !== null && (
            <Muted>
              revision {revision}, <Moment at={updated} />
            </Muted>
          )}
        </Group>
        {description !== '' && <Text maw="80ch">{description}</Text>}
        {source !== '' && <Muted maw="80ch">Source: {source}</Muted>}
        {children}
      </Stack>
      {problems.length > 0 && (
        <Notice color="red" title={`This ${kind} is no longer valid`}>
          <Stack gap="xs">
            <div>It was valid when it was saved; {invalid}</div>
            <Problems problems={problems} />
          </Stack>
        </Notice>
      )}
    </>
  );
}

interface ActionsProps {
  readonly shelf: Shelf;
  readonly document: DocumentView;
  /** What stays when it is deleted, in a sentence. */
  readonly stays: string;
}

/** Copies a document; changes and deletes one's own. */
export function DocumentActions({ shelf, document: { kind, name, revision }, stays }: ActionsProps) {
  const navigate = useNavigate();
  return (
    <>
      <LinkButton to={to.newDocument(kind, name)} sign={IconCopy}>
        Copy
      </LinkButton>
      {revision !== null && (
        <>
          <LinkButton to={to.editDocument(kind, name)} sign={IconEdit}>
            Edit
          </LinkButton>
          <LinkButton to={to.history(kind, name)} sign={IconHistory}>
            History
          </LinkButton>
          <DeleteDocument
            {...{ shelf, name, revision, stays }}
            one={kind}
            onDeleted={() => void navigate(to.documents(kind))}
          />
        </>
      )}
    </>
  );
}
