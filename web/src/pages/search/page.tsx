import { Group, Progress, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useParams } from 'react-router';

import { api, type Schema } from '../../api/client';
import { groupThousands } from '../../lib/format';
import { idIn } from '../../lib/ids';
import { metricTitle, metricOf } from '../../lib/metrics';
import { AskedPage, Nowhere, sentence } from '../../ui/asked';
import { DownloadButton, TextLink } from '../../ui/buttons';
import { Fact } from '../../ui/facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page } from '../../ui/page';
import { SearchBadge } from '../../ui/search-badge';
import { Notice, Prose } from '../../ui/text';
import { Actions } from './actions';
import { BestSoFar } from './best';
import { Found } from './found';
import { Tried } from './tried';
import { howFar, valueTitle } from './words';

const ABOVE = [{ label: 'Searches', to: to.searches }];

/** A search: how far it is, what was tried, the worst so far, and what was found. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = idIn(text);
  return id === null ? <NoSuchSearch id={text} /> : <Search key={id} id={id} />;
}

function Search({ id }: { readonly id: number }) {
  return (
    <AskedPage
      query={api.useQuery('get', '/api/v1/searches/{id}', { params: { path: { id } } })}
      title={`Search ${id}`}
      above={ABOVE}
      failed="The search could not be read"
      what={`search ${id}`}
      rows={8}
      none={<NoSuchSearch id={String(id)} />}
    >
      {(search) => <SearchPage search={search} />}
    </AskedPage>
  );
}

function SearchPage({ search }: { readonly search: Schema<'SearchView'> }) {
  return (
    <Page title={search.title} above={ABOVE} actions={<Actions search={search} />}>
      <Stack gap="lg">
        <Head search={search} />
        {search.state === 'failed' && (
          <Notice color="red" sign={IconX} title="The search failed" role="status">
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              <Prose text={sentence(search.reason ?? 'no reason is known')} />
            </Text>
          </Notice>
        )}
        <Tried search={search} />
        <Found search={search} />
        {search.best !== null && (
          <BestSoFar search={search.id} best={search.best} title={valueTitle(search)} />
        )}
        {search.picture && (
          <Group>
            <DownloadButton
              href={`/api/v1/searches/${search.id}/picture`}
              download={`search-${search.id}.svg`}
            >
              Picture of what was tried (SVG)
            </DownloadButton>
          </Group>
        )}
      </Stack>
    </Page>
  );
}

function Head({ search }: { readonly search: Schema<'SearchView'> }) {
  const { tried, budget, state } = search;
  const share = Math.min(100, (100 * tried) / budget);
  return (
    <Stack gap="sm">
      <Group component="dl" gap="lg" m={0}>
        <Fact name="State">
          <SearchBadge state={state} />
        </Fact>
        <Fact name="Experiment">
          <TextLink to={to.document('experiment', search.experiment)}>{search.experiment}</TextLink>
        </Fact>
        <Fact name="Worst">{metricTitle(metricOf(search.worst))}</Fact>
        {search.variant !== null && <Fact name="Of">{search.variant}</Fact>}
        {search.against !== null && <Fact name="Against">{search.against}</Fact>}
        <Fact name="Links tried">
          {groupThousands(Math.min(tried, budget))} of {groupThousands(budget)}
        </Fact>
        <Fact name={search.ended_at === null ? 'Requested' : 'Ended'}>
          <Moment at={search.ended_at ?? search.asked_at} />
        </Fact>
      </Group>
      <Progress.Root size={8}>
        <Progress.Section
          value={share}
          aria-label={`Progress of search ${search.id}`}
          aria-valuetext={`${tried} of ${budget} links`}
        />
      </Progress.Root>
      <Text size="sm" role="status">
        {howFar(search)}
      </Text>
    </Stack>
  );
}

function NoSuchSearch({ id }: { readonly id: string }) {
  return (
    <Nowhere
      title="No such search"
      above={ABOVE}
      heading={`There is no search ${id}`}
      go={['To all searches', to.searches]}
    >
      It was deleted, or the address was mistyped.
    </Nowhere>
  );
}
