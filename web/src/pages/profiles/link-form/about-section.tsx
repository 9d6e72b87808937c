import { SimpleGrid } from '@mantine/core';

import { linkField } from '../../../link/fields';
import { ORDER, SchemaField } from '../../../link/table-fields';
import { aboutOf, labelOf } from '../../../lib/schema-field';
import schema from '../../../../../schema/link.json';
import { DocumentSelect } from '../../../ui/document-select';
import { FormSection } from '../../../ui/form-section';
import { useLink } from './use-link';

const { extends: EXTENDS } = schema.properties;

/** What the link is, where its numbers come from, and what it builds on. */
export function AboutSection() {
  const { at, extend, message, links, name } = useLink();
  const base = at('extends');
  const others = new Map([...links].filter(([other]) => other !== name));
  return (
    <FormSection step={1} title="What it is" about="Its title, its source, and the link that it builds on.">
      <LinkField of="title" />
      <LinkField of="source" />
      <LinkField of="description" />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DocumentSelect
          label={labelOf('extends', EXTENDS)}
          description={aboutOf(EXTENDS)}
          inputWrapperOrder={ORDER}
          documents={others}
          scenarios
          value={typeof base === 'string' ? base : null}
          none="None: it stands alone"
          error={message('extends')}
          onChange={extend}
          onClear={extend}
        />
        <LinkField of="family" hint={typeof base === 'string' ? `as ${base}` : ''} />
      </SimpleGrid>
    </FormSection>
  );
}

interface Props {
  readonly of: string;
  readonly hint?: string;
}

/** A key of the link as a whole. */
export function LinkField({ of, hint }: Props) {
  const { at, set, message } = useLink();
  const wrong = message(of);
  return (
    <SchemaField
      field={linkField(of)}
      value={at([of])}
      wrong={wrong === undefined ? {} : { [of]: wrong }}
      hint={hint}
      onChange={(value, typed) => set([of], value, typed ? of : undefined)}
    />
  );
}
