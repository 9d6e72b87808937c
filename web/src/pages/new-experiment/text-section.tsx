import { Stack, Text } from '@mantine/core';

import type { Problem } from '../../api/failure';
import { TomlEditor } from '../../toml/editor';
import { Muted, Notice } from '../../ui/text';
import type { NewDocument } from './documents';

interface Props {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly problems: readonly Problem[];
  /** Why the form cannot show it. */
  readonly unread: string | null;
  readonly link: NewDocument | null;
  readonly workload: NewDocument | null;
}

/** The experiment as its text: saved as it stands here. */
export function TextSection({ text, onChange, problems, unread, link, workload }: Props) {
  return (
    <Stack gap="md">
      {unread !== null && (
        <Notice role="alert" color="red" title="The form cannot show this text">
          <Text size="sm" c="var(--mantine-color-text)" style={{ whiteSpace: 'pre-wrap' }}>
            {unread}
          </Text>
        </Notice>
      )}
      <TomlEditor
        label="The experiment as TOML"
        value={text}
        onChange={onChange}
        problems={problems}
        minHeight="24rem"
      />
      <Muted>It is saved exactly as written. The form changes only the keys that you change there.</Muted>
      {link && <Beside kind="link" document={link} />}
      {workload && <Beside kind="workload" document={workload} />}
    </Stack>
  );
}

/** A document that the experiment needs and that is not there yet. */
function Beside({ kind, document }: { readonly kind: string; readonly document: NewDocument }) {
  return (
    <TomlEditor
      label={`The ${kind} ${document.name}, which is saved with it`}
      value={document.toml}
      readOnly
      minHeight="4rem"
    />
  );
}
