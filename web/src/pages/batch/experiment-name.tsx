import type { Schema } from '../../api/client';
import { useDocument } from '../../api/documents';
import { isMissing } from '../../api/failure';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';

/** The name of a batch's experiment, with a link if there is a page to go to. */
export function ExperimentName({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const { experiment, imported } = batch;
  const { error } = useDocument('experiments', imported ? null : experiment);
  return <Name name={experiment} hasPage={!imported && !isMissing(error)} />;
}

/** What was made for a measurement of links, or was deleted since, has a name and no page; the batch has its files. */
export function Name({ name, hasPage }: { readonly name: string; readonly hasPage: boolean }) {
  if (!hasPage) return <code>{name}</code>;
  return (
    <TextLink to={to.document('experiment', name)} underline="always">
      {name}
    </TextLink>
  );
}
