import { Group } from '@mantine/core';
import { IconListNumbers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client, type Schema } from '../../api/client';
import { formatInstant, plural } from '../../lib/format';
import type { Resolved } from '../../parts/use-resolved';
import { titleIn } from '../../results/model';
import { Asked } from '../../ui/asked';
import { SignButton, TextLink } from '../../ui/buttons';
import { Row, WideTable, numeric } from '../../ui/table';
import { Muted } from '../../ui/text';
import { useSearch } from '../../ui/use-address';
import { type Choice, withPair } from './choice';
import { longerInWords, originInWords } from './parting-words';

interface Props {
  readonly batch: number;
  readonly choice: Choice;
  readonly partner: string;
  readonly titles: Resolved;
}

/** The kinds of first differences over all repetitions: counted when somebody asks, since each pair has its captures read. */
export function PartingKinds({ batch, choice, partner, titles }: Props) {
  const [asked, setAsked] = useState(false);
  const [baseline] = choice.variants;
  const query = useQuery({
    enabled: asked,
    // The second part and the third are what the events look at (api/freshness.ts).
    queryKey: [
      'partings',
      '/api/v1/batches/{id}',
      { params: { path: { id: batch } } },
      baseline,
      partner,
      choice.link,
      choice.testbed,
    ],
    queryFn: async ({ signal }) => {
      const { data } = await client.GET('/api/v1/batches/{id}/differences', {
        params: {
          path: { id: batch },
          query: { a: baseline, b: partner, link: choice.link, testbed: choice.testbed },
        },
        signal,
      });
      if (data === undefined) throw new Error('the counts came without content');
      return data;
    },
  });
  if (!asked)
    return (
      <Group>
        <SignButton sign={IconListNumbers} onClick={() => setAsked(true)}>
          Count over all repetitions
        </SignButton>
      </Group>
    );
  return (
    <Asked query={query} failed="The repetitions could not be compared" what="all repetitions" rows={4}>
      {(counted) => (
        <Counted
          counted={counted}
          names={[baseline, partner].map((name) => titleIn(titles.variants, name))}
        />
      )}
    </Asked>
  );
}

interface CountedProps {
  readonly counted: Schema<'PartingsView'>;
  /** Of A and of B. */
  readonly names: readonly string[];
}

function Counted({ counted: { pairs, alike, left_out: leftOut, kinds }, names }: CountedProps) {
  const [params] = useSearch();
  return (
    <>
      <Muted>
        {plural(pairs, 'pair')} of runs were compared; in {alike} of them both senders sent the same all
        along.
        {leftOut > 0 && ` ${plural(leftOut, 'more pair')} ${leftOut === 1 ? 'was' : 'were'} left out.`}
      </Muted>
      {kinds.length > 0 && (
        <WideTable
          label="Kinds of first differences"
          minWidth={640}
          heads={[
            numeric('Pairs'),
            names[0],
            names[1],
            'Did otherwise first',
            numeric('B takes longer'),
            'Example',
          ]}
        >
          {kinds.map((kind) => (
            <Row
              key={`${kind.a} ${kind.b} ${kind.origin}`}
              cells={[
                numeric(kind.count),
                kind.a,
                kind.b,
                originInWords(kind.origin),
                numeric(longerInWords(kind.elapsed_s)),
                <TextLink key="example" to={`?${withPair(params, kind.example.repetition).toString()}`}>
                  repetition {kind.example.repetition}, at {formatInstant(kind.example.at_ns)}
                </TextLink>,
              ]}
            />
          ))}
        </WideTable>
      )}
    </>
  );
}
