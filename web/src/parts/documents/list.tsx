import { Badge, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import { useDocuments, type DocumentLine, type Shelf } from '../../api/documents';
import { plural } from '../../lib/format';
import { Asked, Empty } from '../../ui/asked';
import { to, type DocumentKind } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Muted } from '../../ui/text';
import { useAddress } from '../../ui/use-address';
import { useTyped } from '../../ui/use-typed';
import { DeletedDocuments } from './deleted';
import { found } from './search';

const DELETED = 'deleted';
const ORIGINS = [
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own' },
  { value: 'shipped', label: 'Shipped' },
  { value: DELETED, label: 'Deleted' },
];

interface Props {
  readonly shelf: Shelf;
  readonly kind: DocumentKind;
  /** How to come to a first one of one's own. */
  readonly how: string;
}

/** The documents of a shelf, a line or two each. */
export function DocumentList(props: Props) {
  return (
    <FoundDocuments {...props}>
      {(shown) => (
        <ul className="lines roomy">
          {shown.map((line) => (
            <li key={line.name}>
              <Line kind={props.kind} line={line} />
            </li>
          ))}
        </ul>
      )}
    </FoundDocuments>
  );
}

interface FoundProps extends Props {
  /** Of at least one document. */
  readonly children: (shown: readonly DocumentLine[]) => ReactNode;
}

/** The documents of a shelf that are searched for; `q` and `origin` in the address say which. Deleted ones are a list of their own. */
export function FoundDocuments({ shelf, kind, how, children }: FoundProps) {
  const { params, change } = useAddress();
  const [words, setWords] = useTyped('q');
  const asked = params.get('origin');
  const origin = ORIGINS.find(({ value }) => value === asked)?.value ?? 'all';
  return (
    <Stack>
      <Group align="flex-end">
        <TextInput
          label={`Search ${shelf}`}
          placeholder="Words of a name, title, description or source"
          type="search"
          value={words}
          leftSection={<IconSearch size={16} aria-hidden />}
          style={{ flex: '1 1 14rem' }}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <SegmentedControl
          aria-label="Origin"
          data={ORIGINS}
          value={origin}
          onChange={(value) => change({ origin: value === 'all' ? null : value }, 'push')}
        />
      </Group>
      {origin === DELETED ? (
        <DeletedDocuments shelf={shelf} kind={kind} words={words} />
      ) : (
        <Shown {...{ shelf, kind, how, children, words, origin }} />
      )}
    </Stack>
  );
}

interface ShownProps extends FoundProps {
  readonly words: string;
  readonly origin: string;
}

/** Those that there are. */
function Shown({ shelf, kind, how, children, words, origin }: ShownProps) {
  return (
    <Asked
      query={useDocuments(shelf)}
      failed={`The ${shelf} could not be read`}
      what={`the ${shelf}`}
      rows={8}
    >
      {(lines) => {
        const shown = found(lines, words, origin);
        return (
          <>
            <Muted role="status">{plural(shown.length, kind)}</Muted>
            {shown.length > 0 ? (
              children(shown)
            ) : origin === 'own' && words === '' ? (
              <Empty title={`No ${kind} of your own yet`} go={[`New ${kind}`, to.newDocument(kind)]}>
                {how}
              </Empty>
            ) : (
              <Empty title={`No such ${kind}`}>Try another word, or “All”.</Empty>
            )}
          </>
        );
      }}
    </Asked>
  );
}

/** Experiments go by their titles, what they are made of by its names. */
function Line({ kind, line }: { readonly kind: DocumentKind; readonly line: DocumentLine }) {
  const { name, title, source, origin, updated_at: updated } = line;
  const titled = kind === 'experiment';
  return (
    <>
      <Group gap="xs">
        <Link to={to.document(kind, name)} className="line-name" data-mono={!titled || undefined}>
          {titled ? title : name}
        </Link>
        {origin === 'own' && (
          <Badge c="var(--mantine-color-text)" size="sm">
            own
          </Badge>
        )}
        {updated !== null && (
          <Text size="xs" c="dimmed" span>
            changed <Moment at={updated} />
          </Text>
        )}
      </Group>
      <Text size="sm" {...(titled && { ff: 'monospace', style: { overflowWrap: 'anywhere' } })}>
        {titled ? name : title}
      </Text>
      {source !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {source}
        </Text>
      )}
    </>
  );
}
