import { Badge, Button, Group, SegmentedControl, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { IconFileImport, IconPlus, IconSearch } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from 'react-router';

import { useDocuments, type DocumentLine } from '../../api/documents';
import { plural } from '../../lib/format';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { useTyped } from '../../ui/use-typed';
import { Waiting } from '../../ui/waiting';
import './profiles.css';
import { PROFILES, SHELVES, shelfOf, type ProfileShelf } from './kinds';
import { NoShelf } from './lost';
import { found } from './search';

/** The profiles of one kind: those shipped, and the user's own. */
export function Component() {
  const shelf = shelfOf(useParams()['kind']);
  return shelf === null ? <NoShelf /> : <Profiles shelf={shelf} />;
}

function Profiles({ shelf }: { readonly shelf: ProfileShelf }) {
  const navigate = useNavigate();
  const { kind, about, one } = PROFILES[shelf];
  return (
    <Page
      title="Profiles"
      about={about}
      actions={
        <>
          {shelf === 'links' && (
            <Button
              component={Link}
              to={to.importLink}
              variant="default"
              leftSection={<IconFileImport size={16} aria-hidden />}
            >
              Import a trace
            </Button>
          )}
          <Button
            component={Link}
            to={to.newProfile(kind)}
            leftSection={<IconPlus size={16} aria-hidden />}
          >{`New ${one}`}</Button>
        </>
      }
    >
      <Tabs
        value={shelf}
        keepMounted={false}
        onChange={(value) => {
          const chosen = shelfOf(value ?? undefined);
          if (chosen !== null) void navigate(to.profiles(PROFILES[chosen].kind));
        }}
      >
        <Tabs.List aria-label="Kinds of profiles" mb="md">
          {SHELVES.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {PROFILES[each].title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SHELVES.map((each) => (
          <Tabs.Panel key={each} value={each}>
            <Shelf shelf={each} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

const ORIGINS = [
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own' },
  { value: 'shipped', label: 'Shipped' },
];

function Shelf({ shelf }: { readonly shelf: ProfileShelf }) {
  const { params, change } = useAddress();
  const [words, setWords] = useTyped('q');
  const { data, error, refetch } = useDocuments(shelf);
  const origin = params.get('origin') ?? 'all';
  if (error !== null) {
    return <Failure title={`The ${shelf} could not be read`} error={error} onRetry={() => void refetch()} />;
  }
  const shown = data && found(data, words, origin);
  return (
    <Stack>
      <Group align="flex-end">
        <TextInput
          label={`Search ${shelf}`}
          placeholder="A name, a title, a source"
          type="search"
          value={words}
          leftSection={<IconSearch size={16} aria-hidden />}
          style={{ flex: '1 1 14rem' }}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label="Origin"
          data={ORIGINS}
          value={ORIGINS.some(({ value }) => value === origin) ? origin : 'all'}
          onChange={(value) => change({ origin: value === 'all' ? null : value }, 'push')}
        />
      </Group>
      {shown === undefined ? (
        <Waiting what={`the ${shelf}`} rows={8} />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            {plural(shown.length, PROFILES[shelf].one)}
          </Text>
          {shown.length === 0 ? (
            <Nothing shelf={shelf} own={origin === 'own' && words === ''} />
          ) : (
            <ul className="profile-list">
              {shown.map((line) => (
                <li key={line.name}>
                  <Line shelf={shelf} line={line} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Stack>
  );
}

function Line({ shelf, line }: { readonly shelf: ProfileShelf; readonly line: DocumentLine }) {
  return (
    <>
      <Group gap="xs">
        <Link to={to.profile(PROFILES[shelf].kind, line.name)} className="profile-name">
          {line.name}
        </Link>
        {line.origin === 'own' && (
          <Badge variant="outline" c="var(--mantine-color-text)" tt="none" size="sm">
            own
          </Badge>
        )}
        {line.updated_at !== null && (
          <Text size="xs" c="dimmed" span>
            changed <Moment at={line.updated_at} />
          </Text>
        )}
      </Group>
      <Text size="sm">{line.title}</Text>
      {line.source !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {line.source}
        </Text>
      )}
    </>
  );
}

function Nothing({ shelf, own }: { readonly shelf: ProfileShelf; readonly own: boolean }) {
  const { kind, one } = PROFILES[shelf];
  if (!own) return <Empty title={`No such ${one}`}>Try another word, or “All”.</Empty>;
  return (
    <Empty
      title={`No ${one} of your own yet`}
      action={
        <Button component={Link} to={to.newProfile(kind)} mt="sm">
          {`New ${one}`}
        </Button>
      }
    >
      {`Open a shipped one and copy it, or create a new one. Shipped ${shelf} cannot be changed, so that results can be repeated.`}
    </Empty>
  );
}
