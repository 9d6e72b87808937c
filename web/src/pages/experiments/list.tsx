import './experiments.css';

import { Badge, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { Link } from 'react-router';

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

const WHOSE = [
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own' },
  { value: 'shipped', label: 'Shipped' },
];

/** All experiments; `q` and `origin` in the address say which. */
export function Component() {
  const { params, change } = useAddress();
  const [words, setWords] = useTyped('q');
  const { data, error, refetch } = useDocuments('experiments');
  const asked = params.get('origin');
  const origin = WHOSE.some(({ value }) => value === asked) ? (asked ?? 'all') : 'all';
  const shown = data?.filter((line) => fits(line, words, origin));
  return (
    <Page
      title="Experiments"
      about="Each names links, variants, a workload and repetitions, so that anybody can run it again with the same result."
      actions={
        <Button component={Link} to={to.newExperiment} leftSection={<IconPlus size={16} aria-hidden />}>
          New experiment
        </Button>
      }
    >
      <Stack>
        <Group align="flex-end">
          <TextInput
            label="Search experiments"
            placeholder="A name, a title, a source"
            type="search"
            value={words}
            leftSection={<IconSearch size={16} aria-hidden />}
            style={{ flex: '1 1 14rem' }}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <SegmentedControl
            aria-label="Origin"
            data={WHOSE}
            value={origin}
            onChange={(value) => change({ origin: value === 'all' ? null : value }, 'push')}
          />
        </Group>
        {error !== null && data === undefined ? (
          <Failure title="The experiments could not be read" error={error} onRetry={() => void refetch()} />
        ) : shown === undefined ? (
          <Waiting what="the experiments" rows={8} />
        ) : (
          <>
            <Text size="sm" c="dimmed" role="status">
              {plural(shown.length, 'experiment')}
            </Text>
            {shown.length === 0 ? (
              <Nothing own={origin === 'own' && words === ''} />
            ) : (
              <ul className="experiment-list">
                {shown.map((line) => (
                  <li key={line.name}>
                    <Line line={line} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Stack>
    </Page>
  );
}

/** Whether every word occurs in name, title or source, and the origin is the one asked for. */
function fits(line: DocumentLine, words: string, origin: string): boolean {
  if (origin !== 'all' && line.origin !== origin) return false;
  const text = `${line.name} ${line.title} ${line.source}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Line({ line }: { readonly line: DocumentLine }) {
  return (
    <>
      <Group gap="xs">
        <Link to={to.experiment(line.name)} className="experiment-name">
          {line.title}
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
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {line.name}
      </Text>
      {line.source !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {line.source}
        </Text>
      )}
    </>
  );
}

function Nothing({ own }: { readonly own: boolean }) {
  if (!own) return <Empty title="No such experiment">Try another word, or “All”.</Empty>;
  return (
    <Empty
      title="No experiment of your own yet"
      action={
        <Button component={Link} to={to.newExperiment} mt="sm">
          New experiment
        </Button>
      }
    >
      Create one, or open a shipped one and copy it. Shipped ones cannot be changed, so that their results can
      be repeated.
    </Empty>
  );
}
