import { Waiting } from '../../ui/waiting';
import { Page } from '../../ui/page';

export function Component() {
  return (
    <Page title="New experiment">
      <Waiting what="New experiment" />
    </Page>
  );
}
