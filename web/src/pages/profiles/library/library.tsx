import { Chip, Group, Stack, Text } from '@mantine/core';

import type { DocumentLine } from '../../../api/documents';
import { useFlows, type Flow } from '../../../api/flows';
import { byFamily, type Group as FamilyGroup } from '../../../lib/families';
import { FoundDocuments } from '../../../parts/documents/list';
import type { DocumentKind } from '../../../ui/links';
import { Section } from '../../../ui/page';
import { Muted, Prose } from '../../../ui/text';
import { useAddress } from '../../../ui/use-address';
import { AboutFlow } from './about-flow';
import { LibraryRow } from './row';
import './library.css';

const ALL = 'all';

interface Props {
  readonly kind: DocumentKind;
  readonly how: string;
}

/** All links by family: what each does over a minute, what one flow gets through it, and where its numbers come from. */
export function LinkLibrary(props: Props) {
  return (
    <FoundDocuments shelf="links" {...props}>
      {(shown) => <Families groups={byFamily(shown)} />}
    </FoundDocuments>
  );
}

/** The families of the links that were found; `family` in the address leaves one of them. */
function Families({ groups }: { readonly groups: readonly FamilyGroup<DocumentLine>[] }) {
  const { params, change } = useAddress();
  const flows = useFlows();
  const asked = params.get('family');
  const chosen = groups.filter(({ family }) => family.name === asked);
  const shown = chosen.length > 0 ? chosen : groups;
  const measured = new Map(flows.data?.items.map((flow) => [flow.link, flow]));
  const lines = shown.flatMap((group) => group.lines);
  return (
    <Stack gap="lg">
      <Chip.Group
        value={chosen.length > 0 ? asked : ALL}
        onChange={(value) => change({ family: value === ALL ? null : value }, 'push')}
      >
        <Group gap={6} role="radiogroup" aria-label="Family">
          <Chip value={ALL} size="xs">
            All families
          </Chip>
          {groups.map(({ family, lines: { length } }) => (
            <Chip key={family.name} value={family.name} size="xs">
              {family.title} · {length}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <AboutFlow
        flows={flows}
        unknown={lines.map(({ name }) => name).filter((name) => !isKnown(measured.get(name)))}
      />
      {shown.map((group) => (
        <FamilySection key={group.family.name} group={group} measured={measured} />
      ))}
    </Stack>
  );
}

/** Whether there is nothing to ask for. */
const isKnown = (flow: Flow | undefined) =>
  flow !== undefined && ['done', 'running', 'queued'].includes(flow.state);

interface FamilyProps {
  readonly group: FamilyGroup<DocumentLine>;
  readonly measured: ReadonlyMap<string, Flow>;
}

function FamilySection({ group: { family, lines }, measured }: FamilyProps) {
  return (
    <Section
      title={family.title}
      gap={4}
      beside={
        <Text size="sm" c="dimmed">
          {lines.length}
        </Text>
      }
    >
      <Muted>
        <Prose text={family.about} />
      </Muted>
      <ul className="lines roomy">
        {lines.map((line) => (
          <li key={line.name}>
            <LibraryRow line={line} flow={measured.get(line.name)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
