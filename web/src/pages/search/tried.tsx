import { useMemo } from 'react';

import type { Schema } from '../../api/client';
import { FrontPlot } from '../../figures/front-plot';
import { frontOf } from '../../lib/front';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { valueInWords, valueTitle } from './words';

/** Every link that was tried, and the worst so far. */
export function Tried({ search }: { readonly search: Schema<'SearchView'> }) {
  const { trials, values, base, found } = search;
  const higher = search.higher_is_worse ?? true;
  const front = useMemo(() => frontOf(trials, values, higher), [trials, values, higher]);
  const shrunk = useMemo(() => found.map(({ trial }) => trial), [found]);
  const worst = front.worst.at(-1);
  return (
    <Section title="What was tried">
      {worst === undefined ? (
        <Muted>No link has a value yet.</Muted>
      ) : (
        <>
          <Muted>
            The worst so far is {valueInWords(worst)}
            {base !== null && `; the base link has ${valueInWords(base)}`}. A dot is a link, the line the
            worst so far, the dashed line the base link
            {shrunk.length > 0 && '; a circle is what a finding was shrunk from'}.
          </Muted>
          <FrontPlot
            front={front}
            base={base}
            found={shrunk}
            title={valueTitle(search)}
            format={valueInWords}
          />
        </>
      )}
    </Section>
  );
}
