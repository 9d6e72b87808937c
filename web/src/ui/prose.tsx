import { Fragment } from 'react';

/** A sentence of the engine's or the controller's, which has commands and names in backticks. */
export function Prose({ text }: { readonly text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, i) => (i % 2 === 0 ? <Fragment key={i}>{part}</Fragment> : <code key={i}>{part}</code>));
}
