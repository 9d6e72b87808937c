import { Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { groupThousands } from '../../lib/format';
import { metricLabel, metricOf } from '../../lib/metrics';
import { Asked, Empty } from '../../ui/asked';
import { SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { SearchBadge } from '../../ui/search-badge';
import { Row, WideTable } from '../../ui/table';
import { useAddress } from '../../ui/use-address';
import { NewSearch } from './new-search';

const LIMIT = 25;

/** All searches, newest first. */
export function Component() {
  const { params } = useAddress();
  const after = params.get('after');
  const [opened, { open, close }] = useDisclosure(params.has('experiment'));
  const searches = api.useQuery(
    'get',
    '/api/v1/searches',
    { params: { query: { limit: LIMIT, ...(after !== null && { cursor: after }) } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Page
      title="Searches"
      about="The links on which a variant is worst: tried by an optimiser, made as simple as they can be, and confirmed on fresh seeds."
      actions={
        <SignButton sign={IconPlus} variant="filled" onClick={open}>
          New search
        </SignButton>
      }
    >
      <NewSearch opened={opened} onClose={close} experiment={params.get('experiment')} />
      <Asked query={searches} failed="The searches could not be read" what="the searches" rows={6}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="Nothing has been searched yet">
              Choose an experiment, one of its variants, and the metric that is to be as bad as possible.
            </Empty>
          ) : (
            <Stack>
              <Lines searches={items} />
              <Pager of="searches" next={next} />
            </Stack>
          )
        }
      </Asked>
    </Page>
  );
}

function Lines({ searches }: { readonly searches: readonly Schema<'SearchLine'>[] }) {
  return (
    <WideTable
      label="Searches"
      minWidth={640}
      verticalSpacing="sm"
      heads={['Search', 'Of', 'State', 'Links tried', 'Requested']}
    >
      {searches.map((search) => (
        <Row
          key={search.id}
          head={search.id}
          bold
          cells={[
            <Stack key="of" gap={2}>
              <TextLink to={to.search(search.id)} fw={600}>
                {search.title}
              </TextLink>
              <Text size="xs" c="dimmed">
                {wordsOf(search)}
              </Text>
            </Stack>,
            <SearchBadge key="state" state={search.state} />,
            <Group key="tried" gap={4}>
              {groupThousands(Math.min(search.tried, search.budget))} of {groupThousands(search.budget)}
            </Group>,
            <Moment key="at" at={search.asked_at} />,
          ]}
        />
      ))}
    </WideTable>
  );
}

function wordsOf({ worst, variant, against, experiment }: Schema<'SearchLine'>): string {
  const whose = variant === null ? '' : ` of ${variant}`;
  const beside = against === null ? '' : `, against ${against}`;
  return `${metricLabel(metricOf(worst))}${whose}${beside}; ${experiment}`;
}
