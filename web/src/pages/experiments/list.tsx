import { IconPlus } from '@tabler/icons-react';

import { DocumentList } from '../../parts/documents/list';
import { LinkButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';

/** All experiments. */
export function Component() {
  return (
    <Page
      title="Experiments"
      about="Each names links, variants, a workload and repetitions, so that anybody can run it again with the same result."
      actions={
        <LinkButton to={to.newExperiment} sign={IconPlus} variant="filled">
          New experiment
        </LinkButton>
      }
    >
      <DocumentList
        shelf="experiments"
        kind="experiment"
        how="Create one, or open a shipped one and copy it. Shipped ones cannot be changed, so that their results can be repeated."
      />
    </Page>
  );
}
