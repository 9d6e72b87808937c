import { SegmentedControl, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client';
import { PartingDiagrams } from '../figures/parting-diagrams';
import { useSources } from '../figures/use-series';
import { decodeParting, PartingContents, type PartingPage } from '../results/parting';
import { Asked, Failure, Waiting } from '../ui/asked';
import { TextLink } from '../ui/buttons';
import { to } from '../ui/links';
import { Bullets, Muted } from '../ui/text';

interface Props {
  /** The numbers of two runs that have ended. */
  readonly a: number;
  readonly b: number;
}

interface DifferenceProps extends Props {
  /** What its parts have as their heading. */
  readonly heading?: 'h2' | 'h3';
}

/** Where two runs part first: in sentences, in both diagrams about that instant, and what it cost. */
export function Difference({ a, b, heading = 'h3' }: DifferenceProps) {
  const query = useDifference(a, b);
  return (
    <Asked query={query} failed="The two runs cannot be compared" what="where they part" rows={8}>
      {(page) => (
        <Stack gap="md">
          <Words page={page} />
          <Muted>
            A is <TextLink to={to.run(a)}>run {a}</TextLink>, {page.titles[0]}. B is{' '}
            <TextLink to={to.run(b)}>run {b}</TextLink>, {page.titles[1]}.
          </Muted>
          <Diagrams key={`${a} ${b}`} page={page} a={a} b={b} />
          <PartingContents page={page} heading={heading} />
        </Stack>
      )}
    </Asked>
  );
}

/** Where they part, and what is to be known of the comparison. */
export function Words({ page }: { readonly page: PartingPage }) {
  const [heading, ...rest] = page.lead;
  return (
    <Stack gap={4} role="status">
      <Text fw={600}>{heading}</Text>
      {rest.length > 0 && <Text size="sm">{rest.join(' ')}</Text>}
      {page.about.length > 0 && <Muted>{page.about.join(' ')}</Muted>}
      {page.difference.notes.length > 0 && <Bullets of={page.difference.notes} />}
    </Stack>
  );
}

function Diagrams({ page, a, b }: Props & { readonly page: PartingPage }) {
  const theme = useComputedColorScheme('light');
  const [way, setWay] = useState('stacked');
  const { sources, error, retry } = useSources([a, b]);
  if (error !== null) return <Failure title="A diagram could not be read" error={error} onRetry={retry} />;
  if (sources === null) return <Waiting what="both diagrams" rows={12} />;
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="How both diagrams are laid out"
        value={way}
        data={[
          { value: 'stacked', label: 'Stacked' },
          { value: 'overlay', label: 'Overlaid' },
        ]}
        onChange={setWay}
        style={{ alignSelf: 'flex-start' }}
      />
      <PartingDiagrams key={way} page={page} sources={sources} overlaid={way === 'overlay'} theme={theme} />
    </Stack>
  );
}

/** The first difference of two runs. It stays as it is while their files do. */
function useDifference(a: number, b: number) {
  return useQuery({
    queryKey: ['never old', 'difference of two runs', a, b],
    staleTime: Infinity,
    // What cannot be compared now can be no better in a moment.
    retry: false,
    queryFn: async ({ signal }): Promise<PartingPage> => {
      const { data } = await client.GET('/api/v1/differences', {
        params: { query: { a, b } },
        parseAs: 'text',
        signal,
      });
      const page = data === undefined ? null : decodeParting(data);
      if (page === null) throw new Error('the difference came without content');
      return page;
    },
  });
}
