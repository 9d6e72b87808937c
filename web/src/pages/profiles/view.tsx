import { Waiting } from '../../ui/waiting';
import { Page } from '../../ui/page';

export function Component() {
  return (
    <Page title="Profile">
      <Waiting what="Profile" />
    </Page>
  );
}
