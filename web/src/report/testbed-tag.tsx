import type { Report } from '../series/report';
import { hasLive, testbedTitle } from './values';

/** Which testbed something is of, where the report has live runs; nothing where all is simulated. */
export function TestbedTag({ report, testbed }: { readonly report: Report; readonly testbed: string }) {
  if (!hasLive(report)) return null;
  return (
    <span className="testbed" data-testbed={testbed}>
      {testbedTitle(testbed)}
    </span>
  );
}
