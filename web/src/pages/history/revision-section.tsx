import { Group, Select } from '@mantine/core';

import type { Shelf } from '../../api/documents';
import { useRevision } from '../../api/revisions';
import { TomlEditor } from '../../toml/editor';
import { Asked } from '../../ui/asked';
import { DownloadToml } from '../../ui/download-toml';
import type { DocumentKind } from '../../ui/links';
import { Section } from '../../ui/page';
import { Changes } from './changes';

interface Props {
  readonly shelf: Shelf;
  readonly kind: DocumentKind;
  readonly name: string;
  /** The revisions that have a text, newest first. */
  readonly texts: readonly number[];
  readonly shown: number;
  /** The one with which it is compared; null if it is the first. */
  readonly since: number | null;
  readonly onShow: (revision: number) => void;
  readonly onSince: (revision: number) => void;
}

/** One revision: what changed since another, and its text. */
export function RevisionSection({ shelf, kind, name, texts, shown, since, onShow, onSince }: Props) {
  const query = useRevision(kind, name, shown, since);
  const asked = { query, failed: `Revision ${shown} could not be read`, what: `revision ${shown}` };
  const data = texts.map((revision) => ({ value: String(revision), label: `Revision ${revision}` }));
  return (
    <>
      {since !== null && (
        <Section title="What changed">
          <Group>
            <Select
              label="Revision"
              data={data}
              value={String(shown)}
              allowDeselect={false}
              size="xs"
              w={140}
              onChange={(value) => onShow(Number(value))}
            />
            <Select
              label="Compared with"
              data={data}
              value={String(since)}
              allowDeselect={false}
              size="xs"
              w={140}
              onChange={(value) => onSince(Number(value))}
            />
          </Group>
          <Asked {...asked}>
            {({ hunks, left_out: leftOut }) => <Changes hunks={hunks ?? []} leftOut={leftOut} />}
          </Asked>
        </Section>
      )}
      <Section title={`Text of revision ${shown}`}>
        <Asked {...asked}>
          {({ toml }) => (
            <>
              <TomlEditor
                label={`Revision ${shown} of ${name} as TOML`}
                hideLabel
                value={toml}
                file={`${shelf}/${name}.toml`}
                readOnly
                minHeight="4rem"
              />
              <Group>
                <DownloadToml toml={toml} file={`${name.replaceAll('/', '-')}-${shown}.toml`} />
              </Group>
            </>
          )}
        </Asked>
      </Section>
    </>
  );
}
