import { Badge, Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';

import type { Schema } from '../../api/client';
import { DownloadButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Section } from '../../ui/page';
import { Muted, Prose } from '../../ui/text';
import { Diagram } from './diagram';
import { confirmedInWords, valueInWords, valueTitle } from './words';

type Search = Schema<'SearchView'>;

/** What was found: the kinds of failure, the worst first, with all that is needed to see each again. */
export function Found({ search }: { readonly search: Search }) {
  if (search.found.length === 0) return null;
  return (
    <Section title="What was found">
      <Stack gap="md">
        {search.found.map((one) => (
          <Finding key={one.number} search={search} found={one} />
        ))}
      </Stack>
    </Section>
  );
}

interface Props {
  readonly search: Search;
  readonly found: Schema<'FoundView'>;
}

function Finding({ search, found }: Props) {
  const place = `/api/v1/searches/${search.id}/found/${found.number}`;
  const name = `search-${search.id}-${found.number}`;
  const [shown, { toggle }] = useDisclosure();
  return (
    <Paper component="article" withBorder p="md" aria-label={`Finding ${found.number}`}>
      <Stack gap="xs">
        <Group gap="xs">
          <Badge variant="outline">{found.number}</Badge>
          <Text size="sm">
            {valueTitle(search)}: <b>{valueInWords(found.value)}</b>; {confirmedInWords(found)}.
          </Text>
        </Group>
        <Text size="sm">
          <Prose text={found.sentence} />
        </Text>
        {found.story.length > 0 && (
          <details>
            <summary>The longest episode of its run</summary>
            <List size="sm" mt="xs">
              {found.story.map((text, i) => (
                <List.Item key={i}>{text}</List.Item>
              ))}
            </List>
          </details>
        )}
        <Muted>
          It counts as a failure if {found.fails_if}. It was shrunk from link {found.trial}. The capsule makes
          a batch of the run, with its diagram, where <TextLink to={to.uploadCapsule}>runs</TextLink> are
          listed.
        </Muted>
        <Group gap="xs">
          <Button size="xs" aria-expanded={shown} onClick={toggle}>
            {shown ? 'Hide its diagram' : 'Show its diagram'}
          </Button>
          <DownloadButton href={`${place}/experiment`} download={`${name}.toml`}>
            Experiment
          </DownloadButton>
          <DownloadButton href={`${place}/link`} download={`worst-link.toml`}>
            Link
          </DownloadButton>
          <DownloadButton href={`${place}/capsule`} download={`${name}.capsule.zip`}>
            Capsule
          </DownloadButton>
          {found.packetdrill && (
            <DownloadButton href={`${place}/packetdrill`} download={`${name}.pkt`}>
              Script for packetdrill
            </DownloadButton>
          )}
        </Group>
        {found.no_packetdrill !== null && (
          <Muted>There is no script for packetdrill: {found.no_packetdrill}.</Muted>
        )}
        {shown && (
          <Diagram
            address={`${place}/series`}
            variant={search.variant ?? 'the variant'}
            title={`finding ${found.number} of search ${search.id}`}
          />
        )}
      </Stack>
    </Paper>
  );
}
