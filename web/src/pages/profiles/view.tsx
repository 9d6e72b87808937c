import { useParams } from 'react-router';
import { List, Select, Stack } from '@mantine/core';

import { type DocumentView, useDocument } from '../../api/documents';
import { record } from '../../lib/json';
import { DocumentActions, DocumentHead } from '../../parts/documents/document';
import { TomlEditor } from '../../toml/editor';
import { AskedPage } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { DownloadToml } from '../../ui/download-toml';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { ns } from '../../lib/brand';
import { MOST_REPETITIONS } from '../../lib/run-options';
import { LinkPreview } from '../../link/preview';
import { usePreview } from '../../link/use-preview';
import { useAddress } from '../../ui/use-address';
import { Muted } from '../../ui/text';
import { ExportTc } from './export-tc';
import { PROFILES, type ProfileShelf, shelfOf } from './kinds';
import { OneFlow } from './library/one-flow';
import { NoProfile, NoShelf } from './lost';
import { Resolved } from './resolved-tables';

/** One profile: what it says, what that stands for, who uses it. */
export function Component() {
  const params = useParams();
  const shelf = shelfOf(params['kind']);
  return shelf === null ? <NoShelf /> : <Profile key={params['*']} shelf={shelf} name={params['*'] ?? ''} />;
}

function Profile({ shelf, name }: { readonly shelf: ProfileShelf; readonly name: string }) {
  const { kind, title } = PROFILES[shelf];
  return (
    <AskedPage
      query={useDocument(shelf, name)}
      title={name}
      above={[{ label: title, to: to.documents(kind) }]}
      failed={`${name} could not be read`}
      what={name}
      none={<NoProfile shelf={shelf} name={name} />}
    >
      {(profile) => <ProfilePage shelf={shelf} profile={profile} />}
    </AskedPage>
  );
}

function ProfilePage({ shelf, profile }: { readonly shelf: ProfileShelf; readonly profile: DocumentView }) {
  const { kind, title } = PROFILES[shelf];
  return (
    <Page
      title={profile.name}
      above={[{ label: title, to: to.documents(kind) }]}
      about={profile.title}
      actions={
        <>
          <DownloadToml toml={profile.toml} file={`${profile.name.replaceAll('/', '-')}.toml`} />
          <DocumentActions
            shelf={shelf}
            document={profile}
            stays="Its batches keep their own copy and their results."
          />
        </>
      }
    >
      <DocumentHead
        document={profile}
        description={profile.resolved?.description ?? ''}
        invalid="a file that it builds on, or the file format, has changed since. To use it, correct its text."
      />
      {shelf === 'links' && profile.resolved !== null && (
        <Section title="Over time">
          <LinkOverTime profile={profile} />
        </Section>
      )}
      {shelf === 'links' && profile.resolved !== null && (
        <Section title="What one flow gets through it">
          <OneFlow link={profile.name} />
        </Section>
      )}
      {profile.resolved !== null && (
        <Section title="As resolved">
          <Resolved shelf={shelf} resolved={record(profile.resolved)} />
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
          <ExportTc link={profile} />
        </Section>
      )}
    </Page>
  );
}

const SPANS = [
  { value: '30', label: '30 s' },
  { value: '60', label: '1 min' },
  { value: '300', label: '5 min' },
  { value: '900', label: '15 min' },
  { value: '3600', label: '1 h' },
];
const USUAL = '60';

/** What a link does over time, for one of its random histories; which one stands in the address. */
function LinkOverTime({ profile }: { readonly profile: DocumentView }) {
  const { params, change } = useAddress();
  const span = SPANS.find(({ value }) => value === params.get('seconds'))?.value ?? USUAL;
  const repetition = Math.max(
    1,
    Math.min(MOST_REPETITIONS, Math.trunc(Number(params.get('repetition') ?? 1)) || 1),
  );
  const seconds = Number(span);
  const state = usePreview({ toml: profile.toml, seed: '1', repetition, seconds, name: profile.name });
  return (
    <Stack gap="xs">
      <Select
        label="How long"
        data={SPANS}
        value={span}
        size="xs"
        w={110}
        onChange={(value) => change({ seconds: value === USUAL ? null : value }, 'push')}
      />
      <LinkPreview
        state={state}
        window={{ from: ns(0), to: ns(seconds * 1e9) }}
        repetition={repetition}
        onRepetition={(next) => change({ repetition: next === 1 ? null : String(next) }, 'replace')}
      />
    </Stack>
  );
}

/** The documents that name a profile: experiments, and profiles that build on it. */
function UsedBy({ users }: { readonly users: DocumentView['used_by'] }) {
  if (users.length === 0) {
    return <Muted>No experiment or profile uses it.</Muted>;
  }
  return (
    <List size="sm" spacing={2}>
      {users.map(({ kind, name }) => (
        <List.Item key={`${kind} ${name}`}>
          {kind}{' '}
          <TextLink to={to.document(kind, name)} underline="always">
            {name}
          </TextLink>
        </List.Item>
      ))}
    </List>
  );
}
