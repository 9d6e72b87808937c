import { Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';

import { Difference } from '../../parts/difference';
import { Empty } from '../../ui/asked';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { useTyped } from '../../ui/use-typed';
import { runIn } from './run-in';

/** Typing goes on for so long before the controller is asked. */
const PAUSE_MS = 400;

const ABOVE = [{ label: 'Runs', to: to.batches }];

/** Any two runs of the same workload, of whatever batches, and where they part first. */
export function Component() {
  const [a, setA] = useTyped('a', '');
  const [b, setB] = useTyped('b', '');
  const [one] = useDebouncedValue(runIn(a), PAUSE_MS);
  const [other] = useDebouncedValue(runIn(b), PAUSE_MS);
  return (
    <Page
      title="The first difference"
      above={ABOVE}
      about="Two runs of the same workload, best on the same fates: of two variants, kernels or versions, or a run and a replay of it. In which decision do they part first?"
    >
      <Group align="flex-start" gap="sm">
        <RunInput label="Run A" value={a} onChange={setA} />
        <RunInput label="Run B" value={b} onChange={setB} />
      </Group>
      {one === null || other === null ? (
        <Empty title="Two runs to compare">
          Enter the numbers of two runs that have ended. The comparison of a batch fills them in for you.
        </Empty>
      ) : one === other ? (
        <Empty title="The same run twice">A run does not part from itself: enter another number.</Empty>
      ) : (
        <Difference key={`${one} ${other}`} a={one} b={other} heading="h2" />
      )}
    </Page>
  );
}

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function RunInput({ label, value, onChange }: Props) {
  const wrong = value.trim() !== '' && runIn(value) === null;
  return (
    <TextInput
      label={label}
      description="Its number"
      w={140}
      inputMode="numeric"
      value={value}
      error={wrong && 'A whole number, as 12'}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
