import { Group, Stack, Text } from '@mantine/core';

import { api } from '../../api/client';
import { plural } from '../../lib/format';
import { Asked, Empty, Failure } from '../../ui/asked';
import { LinkButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { Page, Section } from '../../ui/page';
import { citationOf, titleOf } from '../../lib/bibliography';
import { DEPENDS, tally } from './tally';

/** The papers whose experiments can be repeated here. */
export function Component() {
  const papers = api.useQuery('get', '/api/v1/papers');
  return (
    <Page
      title="Papers"
      about={`Published experiments to repeat: the paper’s numbers beside ours, and how well our runs support its statements. ${DEPENDS}`}
    >
      <Asked query={papers} failed="The papers could not be read" what="the papers">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No papers here">
              This page lists the experiments in the folder papers/ of the shipped profiles, one folder per
              paper.
            </Empty>
          ) : (
            items.map(({ name, experiments }) => (
              <Section key={name} title={titleOf(name)}>
                {citationOf(name) !== null && <Text size="sm">{citationOf(name)}</Text>}
                <Progress name={name} experiments={experiments.length} />
                <Group>
                  <LinkButton to={to.paper(name)} aria-label={`Open ${titleOf(name)}`}>
                    Open
                  </LinkButton>
                </Group>
              </Section>
            ))
          )
        }
      </Asked>
    </Page>
  );
}

/** How much of a paper has been run here, and what came of its statements. */
function Progress({ name, experiments }: { readonly name: string; readonly experiments: number }) {
  const { data, error } = api.useQuery('get', '/api/v1/papers/{paper}', {
    params: { path: { paper: name } },
  });
  if (error !== null) return <Failure title={`${name} could not be read`} error={error} />;
  const counts = data && tally(data);
  return (
    <Stack gap={2}>
      <Text size="sm">{plural(experiments, 'table or figure', 'tables and figures')}</Text>
      {counts && (
        <Muted>
          {counts.run === 0
            ? 'None has been run here yet.'
            : `${counts.run} of ${experiments} have been run here. ${counts.words}.`}
        </Muted>
      )}
    </Stack>
  );
}
