import { Fragment, type ReactNode } from 'react';

/** Pairs of a word and what stands for it, as a list of terms. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([word, value]) => (
        <Fragment key={word}>
          <dt>{word}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
