import { Fragment, type ReactNode } from 'react';

interface Props {
  /** Of what is empty nothing is said. */
  readonly facts: readonly (readonly [word: string, value: ReactNode])[];
  readonly className?: string;
}

/** Pairs of a word and what stands for it, as a list of terms. */
export function Facts({ facts, className = '' }: Props) {
  return (
    <dl className={`facts ${className}`.trim()}>
      {facts.map(([word, value], i) =>
        value ? (
          <Fragment key={i}>
            <dt>{word}</dt>
            <dd>{value}</dd>
          </Fragment>
        ) : null,
      )}
    </dl>
  );
}
