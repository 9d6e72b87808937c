import { Badge, Group, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';

import type { DocumentLine } from '../../../api/documents';
import type { Flow } from '../../../api/flows';
import { PreviewThumbnail } from '../../../link/thumbnail';
import { to } from '../../../ui/links';
import { FlowFigures } from './flow-figures';

const PREVIEW_S = 60;

interface Props {
  readonly line: DocumentLine;
  readonly flow: Flow | undefined;
}

/** One link: what it is and where its numbers come from, what it does, what one flow gets. */
export function LibraryRow({ line, flow }: Props) {
  const { name, title, description, source, origin } = line;
  const { ref, entry } = useIntersection({ rootMargin: '400px' });
  const [seen, setSeen] = useState(false);
  const here = entry?.isIntersecting === true;
  useEffect(() => {
    if (here) setSeen(true);
  }, [here]);
  return (
    <article className="library-row" ref={ref} aria-label={name}>
      <div>
        <Group gap="xs">
          <Link to={to.document('link', name)} className="line-name" data-mono>
            {name}
          </Link>
          {origin === 'own' && (
            <Badge c="var(--mantine-color-text)" size="sm">
              own
            </Badge>
          )}
        </Group>
        <Text size="sm">{title}</Text>
        {description !== '' && (
          <Text size="xs" mt={4} lineClamp={3}>
            {description}
          </Text>
        )}
        <Text size="xs" c="dimmed" mt={4} lineClamp={3} title={source}>
          {source === '' ? 'It does not say where its numbers come from.' : `Source: ${source}`}
        </Text>
      </div>
      <PreviewThumbnail name={name} seconds={PREVIEW_S} wanted={seen} />
      <FlowFigures link={name} flow={flow} />
    </article>
  );
}
