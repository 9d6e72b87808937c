import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconCopy, IconDownload, IconEdit } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from 'react-router';

import { useDocument, type DocumentTold } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { TomlEditor } from '../../toml/editor';
import { DeleteDocument } from '../../ui/delete-document';
import { Failure, Problems } from '../../ui/failure';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { saveBlob } from '../../ui/save';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';
import { ExportTc } from './export-tc';
import { PROFILES, shelfOf, type ProfileShelf } from './kinds';
import { LinkOverTime } from './link-over-time';
import { NoProfile, NoShelf } from './lost';
import { record } from './resolved';
import { Resolved } from './resolved-tables';
import { UsedBy } from './used-by';

/** One profile: what it says, what that stands for, who uses it. */
export function Component() {
  const params = useParams();
  const shelf = shelfOf(params['kind']);
  return shelf === null ? <NoShelf /> : <Profile key={params['*']} shelf={shelf} name={params['*'] ?? ''} />;
}

function Profile({ shelf, name }: { readonly shelf: ProfileShelf; readonly name: string }) {
  const { data, error, refetch } = useDocument(shelf, name);
  const { kind, title } = PROFILES[shelf];
  // A name that cannot be one is refused as such; for who follows a link that is the same as none.
  if (error instanceof ApiFailure && (error.status === 404 || error.status === 422)) {
    return <NoProfile shelf={shelf} name={name} />;
  }
  if (data) return <Told shelf={shelf} profile={data} />;
  return (
    <Page title={name} above={[{ label: title, to: to.profiles(kind) }]}>
      {error !== null ? (
        <Failure title={`${name} could not be read`} error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting what={name} rows={10} />
      )}
    </Page>
  );
}

function Told({ shelf, profile }: { readonly shelf: ProfileShelf; readonly profile: DocumentTold }) {
  const { kind, title, one } = PROFILES[shelf];
  const resolved = record(profile.resolved);
  const description = typeof resolved['description'] === 'string' ? resolved['description'] : '';
  return (
    <Page
      title={profile.name}
      above={[{ label: title, to: to.profiles(kind) }]}
      about={profile.title}
      actions={<Actions shelf={shelf} profile={profile} />}
    >
      <Stack gap={4}>
        <Group gap="xs">
          <Badge variant="outline" c="var(--mantine-color-text)" tt="none">
            {profile.origin}
          </Badge>
          {profile.updated_at !== null && profile.revision !== null && (
            <Text size="sm" c="dimmed">
              revision {profile.revision}, <Moment at={profile.updated_at} />
            </Text>
          )}
        </Group>
        {description !== '' && <Text maw="80ch">{description}</Text>}
        {profile.source !== '' && (
          <Text size="sm" c="dimmed" maw="80ch">
            Source: {profile.source}
          </Text>
        )}
      </Stack>
      {profile.problems.length > 0 && (
        <Alert color="red" variant="light" title={`This ${one} is no longer valid`}>
          <Stack gap="xs">
            <Text size="sm" c="var(--mantine-color-text)">
              It was valid when it was saved; a file that it builds on, or the file format, has changed since.
              To use it, correct its text.
            </Text>
            <Problems problems={profile.problems} />
          </Stack>
        </Alert>
      )}
      {shelf === 'links' && profile.resolved !== null && (
        <Section title="Over time">
          <LinkOverTime profile={profile} />
        </Section>
      )}
      {profile.resolved !== null && (
        <Section title="As resolved">
          <Resolved shelf={shelf} resolved={resolved} />
        </Section>
      )}
      <Section title="Used by">
        <UsedBy users={profile.used_by} />
      </Section>
      <Section title="Text">
        <TomlEditor
          label={`${profile.name} as TOML`}
          hideLabel
          value={profile.toml}
          problems={profile.problems}
          file={`${shelf}/${profile.name}.toml`}
          readOnly
          minHeight="4rem"
        />
      </Section>
      {shelf === 'links' && (
        <Section title="For Linux’s own emulator">
          <ExportTc name={profile.name} />
        </Section>
      )}
    </Page>
  );
}

function Actions({ shelf, profile }: { readonly shelf: ProfileShelf; readonly profile: DocumentTold }) {
  const navigate = useNavigate();
  const { kind, one } = PROFILES[shelf];
  const { name, toml, revision } = profile;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() =>
          saveBlob(new Blob([toml], { type: 'application/toml' }), `${name.replaceAll('/', '-')}.toml`)
        }
      >
        Download TOML
      </Button>
      <Button
        component={Link}
        to={to.newProfile(kind, name)}
        variant="default"
        leftSection={<IconCopy size={16} aria-hidden />}
      >
        Copy
      </Button>
      {revision !== null && (
        <>
          <Button
            component={Link}
            to={to.editProfile(kind, name)}
            variant="default"
            leftSection={<IconEdit size={16} aria-hidden />}
          >
            Edit
          </Button>
          <DeleteDocument
            shelf={shelf}
            one={one}
            name={name}
            revision={revision}
            stays="Its batches keep their own copy and their results."
            onDeleted={() => void navigate(to.profiles(kind))}
          />
        </>
      )}
    </>
  );
}
