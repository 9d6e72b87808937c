import { Box, Group, Select, Stack, Text, TextInput } from '@mantine/core';

import { useDocument, type DocumentView } from '../../api/documents';
import { eventsOf, extendingLink, problemsByEvent } from '../../link/document';
import { LinkTimeline } from '../../link/link-timeline';
import { useNamedLink } from '../../link/use-named-link';
import { TextLink } from '../../ui/buttons';
import { DocumentMultiSelect, DocumentSelect } from '../../ui/document-select';
import { Failure } from '../../ui/asked';
import { to } from '../../ui/links';
import type { Transfer } from '../../link/transfer';
import { Muted } from '../../ui/text';
import { transferOf as ownTransfer, type OwnWorkload } from './flows';
import { ReplayedLink } from './replayed-link';
import { FormSection } from '../../ui/form-section';
import { isScenario } from '../../lib/scenario';
import { textOf } from '../../lib/values';
import { useForm } from './use-form';

/** Which link, and what happens on it. */
export function LinkSection() {
  const { draft, message, entered, chosen } = useForm();
  const several = draft.links.length > 1;
  return (
    <FormSection
      step={1}
      title="Link"
      about="The path between server and client. Take one as it is, or draw events on its timeline."
    >
      {draft.replay === null ? <ChosenLink /> : <ReplayedLink replay={draft.replay} />}
      {(several || draft.flows !== '') && (
        <TextInput
          maw={420}
          label="Flows on each link"
          description="How many the workload’s first set has on each, in their order. Empty: as the workload says. Simulated only."
          placeholder="20, 40"
          {...entered('flows')}
          error={message('flows')}
        />
      )}
      {draft.replay === null && <Access />}
      <Select
        maw={420}
        label="Version of IP"
        description="Over IPv6 packets are as large, and segments 20 octets smaller."
        {...chosen('network', [
          { value: '', label: 'Default (IPv4)' },
          { value: 'ipv4', label: 'IPv4' },
          { value: 'ipv6', label: 'IPv6' },
        ])}
      />
    </FormSection>
  );
}

/** Losses and delays of each flow's own. */
function Access() {
  const { existing, message, own, below, set, marked } = useForm();
  const access = own('access');
  const behind = textOf(below('access'));
  return (
    <Box maw={420}>
      <DocumentSelect
        label="A link behind it, one for each flow (access)"
        description="Losses and delays of each flow’s own, between the shared link and its client. Simulated, or live on the model plane."
        documents={existing.links}
        scenarios
        value={typeof access === 'string' ? access : null}
        none={behind === '' ? 'None: clients are at the end of the link' : `Inherited: ${behind}`}
        error={message('access')}
        onChange={(name) => set('access', name)}
        onClear={() => set('access', undefined)}
        {...marked('access')}
      />
    </Box>
  );
}

/** One link or several, and what is drawn on one. */
function ChosenLink() {
  const { draft, change, existing, errors, marked } = useForm();
  const { links } = existing;
  const several = draft.links.length > 1;
  const base = draft.links.length === 1 ? draft.links[0] : null;
  return (
    <>
      <Group align="flex-start" gap="md">
        <Stack flex={1} miw={240}>
          {several ? (
            <DocumentMultiSelect
              label="Links"
              documents={links}
              scenarios
              value={draft.links}
              error={errors.link}
              onChange={(chosen) => change({ links: chosen })}
              {...marked('link')}
            />
          ) : (
            <DocumentSelect
              label="Link"
              documents={links}
              scenarios
              value={base}
              error={errors.link}
              onChange={(chosen) => change({ links: [chosen] })}
              {...marked('link')}
            />
          )}
        </Stack>
        {base !== null && draft.events.length === 0 && (
          <DocumentSelect
            label="And another link to compare"
            documents={new Map([...links].filter(([name]) => name !== base))}
            scenarios
            value={null}
            onChange={(other) => change({ links: [base, other] })}
          />
        )}
      </Group>
      {several && (
        <Muted>
          Every variant runs on every one of these links. To draw on a timeline, choose one link only.
        </Muted>
      )}
      {base !== null && <Drawing key={base} base={base} />}
    </>
  );
}

function Drawing({ base }: { readonly base: string }) {
  const { draft, change, outcome, existing, errors, linkProblems } = useForm();
  const { table, error, retry } = useNamedLink(base);
  const workload = useDocument('workloads', draft.ownWorkload ? null : draft.workload || null);
  const fixed = eventsOf(table?.['script']) ?? [];
  const title = existing.links.get(base) ?? base;
  const toml = outcome.link?.toml ?? extendingLink({ title, base, events: [] });
  if (error !== null)
    return <Failure title={`The link ${base} cannot be read`} error={error} onRetry={retry} />;
  return (
    <Stack gap="sm">
      {!isScenario(base) && (
        <Text size="sm">
          {title}.{' '}
          <TextLink to={to.document('link', base)} underline="always">
            All about {base}
          </TextLink>
        </Text>
      )}
      <LinkTimeline
        toml={toml}
        seed={/^\d+$/.test(draft.seed) ? draft.seed : '1'}
        events={draft.events}
        onChange={(events) => change({ events })}
        fixed={fixed}
        fixedFrom={base}
        problems={problemsByEvent(linkProblems, draft.events)}
        transfer={transferOf(draft.ownWorkload, workload.data?.resolved)}
      />
      {outcome.link && (
        <TextInput
          label="The link with your events is saved as"
          description={`A link of your own that builds on ${base}; other experiments can use it, too.`}
          maw={420}
          value={outcome.link.name}
          error={errors.linkName}
          onChange={({ currentTarget }) => change({ linkName: currentTarget.value })}
        />
      )}
    </Stack>
  );
}

/** What the draft's workload carries, if it is one bulk transfer of a size that can be read. */
function transferOf(
  own: OwnWorkload | null,
  resolved: DocumentView['resolved'] | undefined,
): Transfer | null {
  if (own) return ownTransfer(own);
  if (!resolved || !('crossing' in resolved) || resolved.kind !== 'bulk') return null;
  const { size_bytes: octets, data_sender: sender } = resolved;
  return octets === null ? null : { octets, way: sender === 'client' ? 'up' : 'down' };
}
