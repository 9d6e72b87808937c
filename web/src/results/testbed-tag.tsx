import { hasLive, testbedTitle } from './model';

interface Props {
  readonly testbed: string;
  /** All that there are beside it. */
  readonly among: readonly string[];
}

/** Which testbed something is of, where there are kernels among them; nothing where all is simulated. */
export function TestbedTag({ testbed, among }: Props) {
  if (!hasLive(among)) return null;
  return (
    <span className="testbed" data-testbed={testbed}>
      {testbedTitle(testbed)}
    </span>
  );
}
