import { Anchor, Box, Group, Stack, Text, TextInput } from '@mantine/core';
import { Link } from 'react-router';

import { useDocument } from '../../api/documents';
import type { Problem } from '../../api/failure';
import { eventsOf } from '../../link/document';
import { LinkTimeline } from '../../link/link-timeline';
import { extendingLink } from '../../link/document';
import { isTable, type ScriptEvent } from '../../link/script';
import { DocumentMultiSelect, DocumentSelect } from '../../ui/document-select';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import type { Transfer } from '../../link/transfer';
import { valueAt, withValue, type Draft } from './draft';
import { transferOf as ownTransfer, type OwnWorkload } from './flows';
import { Section } from './section';
import { isAt, type FieldErrors, type Outcome } from './documents';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly outcome: Outcome;
  readonly links: ReadonlyMap<string, string>;
  readonly errors: FieldErrors;
  /** What the engine says of the drawn link. */
  readonly problems: readonly Problem[];
}

/** Which link, and what happens on it. */
export function LinkSection({ draft, change, outcome, links, errors, problems }: Props) {
  const several = draft.links.length > 1;
  const base = draft.links.length === 1 ? draft.links[0] : null;
  const access = valueAt(draft.rest, 'access');
  return (
    <Section
      step={1}
      title="Link"
      about="The path between server and client. Take one as it is, or draw events on its timeline."
    >
      <Group align="flex-end" gap="md">
        <Stack flex={1} miw={240}>
          {several ? (
            <DocumentMultiSelect
              label="Links"
              documents={links}
              value={draft.links}
              error={errors.link}
              onChange={(chosen) => change({ links: chosen })}
            />
          ) : (
            <DocumentSelect
              label="Link"
              documents={links}
              value={base}
              error={errors.link}
              onChange={(chosen) => change({ links: [chosen] })}
            />
          )}
        </Stack>
        {base !== null && draft.events.length === 0 && (
          <DocumentAdd links={links} base={base} change={change} />
        )}
      </Group>
      {several && (
        <Text size="sm" c="dimmed">
          Every variant runs on every one of these links. To draw on a timeline, choose one link only.
        </Text>
      )}
      {base !== null && (
        <Drawing
          key={base}
          base={base}
          draft={draft}
          change={change}
          outcome={outcome}
          problems={problems}
          errors={errors}
          links={links}
        />
      )}
      {(several || draft.flows !== '') && (
        <TextInput
          maw={420}
          label="Flows on each link"
          description="How many the workload’s first set has on each, in their order. Empty: as the workload says. Simulated only."
          placeholder="20, 40"
          value={draft.flows}
          error={errors.flows}
          onChange={(event) => change({ flows: event.currentTarget.value })}
        />
      )}
      <Box maw={420}>
        <DocumentSelect
          label="A link behind it, one for each flow (access)"
          description="Losses and delays of each flow’s own, between the shared link and its client. Simulated only."
          documents={links}
          value={typeof access === 'string' ? access : null}
          none="None: clients are at the end of the link"
          error={errors.access}
          onChange={(name) => change({ rest: withValue(draft.rest, 'access', name) })}
          onClear={() => change({ rest: withValue(draft.rest, 'access', undefined) })}
        />
      </Box>
    </Section>
  );
}

interface AddProps {
  readonly links: ReadonlyMap<string, string>;
  readonly base: string;
  readonly change: (changes: Partial<Draft>) => void;
}

function DocumentAdd({ links, base, change }: AddProps) {
  const others = new Map([...links].filter(([name]) => name !== base));
  return (
    <DocumentSelect
      label="And another link to compare"
      documents={others}
      value={null}
      onChange={(other) => change({ links: [base, other] })}
    />
  );
}

interface DrawingProps extends Omit<Props, 'errors'> {
  readonly base: string;
  readonly errors: FieldErrors;
}

function Drawing({ base, draft, change, outcome, links, errors, problems }: DrawingProps) {
  const document = useDocument('links', base);
  const workload = useDocument('workloads', draft.ownWorkload ? null : draft.workload);
  const resolved = document.data?.resolved;
  const link = resolved && 'resolved' in resolved ? resolved.resolved : {};
  const fixed = eventsOf('script' in link ? link.script : undefined) ?? [];
  const title = links.get(base) ?? base;
  const toml = outcome.link?.toml ?? extendingLink({ title, base, events: [] });
  if (document.isError)
    return (
      <Failure
        title={`The link ${base} cannot be read`}
        error={document.error}
        onRetry={() => void document.refetch()}
      />
    );
  return (
    <Stack gap="sm">
      <Stack gap={2}>
        <Text size="sm">
          {title}.{' '}
          <Anchor component={Link} to={to.profile('link', base)} size="sm" underline="always">
            All about {base}
          </Anchor>
        </Text>
      </Stack>
      <LinkTimeline
        toml={toml}
        seed={/^\d+$/.test(draft.seed) ? draft.seed : '1'}
        events={draft.events}
        onChange={(events) => change({ events })}
        fixed={fixed}
        fixedFrom={base}
        problems={byEvent(problems, draft.events)}
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
function transferOf(own: OwnWorkload | null, resolved: unknown): Transfer | null {
  if (own) return ownTransfer(own);
  if (!isTable(resolved)) return null;
  const { kind, size_bytes: octets, data_sender: sender } = resolved;
  if (kind !== 'bulk' || typeof octets !== 'number') return null;
  return { octets, way: sender === 'client' ? 'up' : 'down' };
}

/** What the engine says of entries of the script, by the event's id. */
function byEvent(problems: readonly Problem[], events: readonly ScriptEvent[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [i, { id }] of events.entries()) {
    const problem = problems.find(({ key }) => isAt(key, `script[${i}]`));
    if (problem) found.set(id, problem.message);
  }
  return found;
}
