import { Waiting } from '../../ui/waiting';
import { Page } from '../../ui/page';

export function Component() {
  return (
    <Page title="Batch">
      <Waiting what="Batch" />
    </Page>
  );
}
