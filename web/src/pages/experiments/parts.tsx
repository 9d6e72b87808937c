import { SimpleGrid, Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Section } from '../../ui/page';
import { criterionOf } from './criterion';

/** What an experiment is made of, with the ways there. */
export function Parts({ resolved }: { readonly resolved: Schema<'ResolvedExperiment'> }) {
  const { links, variants, workload, repetitions, seed } = resolved;
  const live = resolved.live?.variants ?? [];
  const published = resolved.published?.source ?? '';
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title={links.length === 1 ? 'Link' : 'Links'}>
          {links.map((link) => (
            <PartLines key={link.name} kind="link" part={link} />
          ))}
        </Section>
        <Section title="Workload and runs">
          {workload.name !== '' && <PartLines kind="workload" part={workload} />}
          <Text size="sm">
            {plural(repetitions, 'repetition')} of each variant on each link, seed {seed}
          </Text>
          {published !== '' && <Text size="sm">Published numbers to compare with ours: {published}</Text>}
        </Section>
        {live.length > 0 && (
          <Section title="On live links also">
            <Text size="sm">
              {live.map((name, i) => (
                <span key={name}>
                  {i > 0 && ', '}
                  <TextLink to={to.document('variant', name)} underline="always">
                    {name}
                  </TextLink>
                </span>
              ))}
            </Text>
          </Section>
        )}
      </SimpleGrid>
      <Section title="Variants">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="sm">
          {variants.map((variant) => (
            <PartLines key={variant.name} kind="variant" part={variant} />
          ))}
        </SimpleGrid>
      </Section>
    </>
  );
}

interface PartProps {
  readonly kind: 'link' | 'variant' | 'workload';
  readonly part: Pick<Schema<'PlannedLink'>, 'name' | 'title' | 'summary'>;
}

function PartLines({ kind, part }: PartProps) {
  return (
    <Stack gap={0}>
      <Text size="sm">
        <TextLink to={to.document(kind, part.name)} fw={600} underline="always">
          {part.name}
        </TextLink>{' '}
        · {part.title}
      </Text>
      {part.summary.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

/** The sentences that the report decides. */
export function Claims({ claims }: { readonly claims: readonly Schema<'Claim'>[] }) {
  return (
    <Section title="Claims">
      <Text component="ul" size="sm" m={0} pl="lg" maw="90ch">
        {claims.map((claim) => (
          <li key={claim.id}>
            {claim.text}{' '}
            <Text span size="xs" c="dimmed">
              ({criterionOf(claim)})
            </Text>
          </li>
        ))}
      </Text>
    </Section>
  );
}
