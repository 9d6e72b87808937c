import { Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';

import { useMeasuring, type Flows, type useFlows } from '../../../api/flows';
import { plural } from '../../../lib/format';
import { ALL_KINDS, PreviewLegend } from '../../../link/legend';
import { Failure } from '../../../ui/asked';
import { SignButton, TextLink } from '../../../ui/buttons';
import { to } from '../../../ui/links';

interface Props {
  readonly flows: ReturnType<typeof useFlows>;
  /** The links shown of which it is not known what a flow gets through them. */
  readonly unknown: readonly string[];
}

/** What the figures of one flow are, and what has all of them measured. */
export function AboutFlow({ flows, unknown }: Props) {
  const measuring = useMeasuring();
  if (flows.data === undefined)
    return flows.error === null ? null : (
      <Failure
        title="What was measured could not be read"
        error={flows.error}
        onRetry={() => void flows.refetch()}
      />
    );
  return (
    <>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={6} style={{ flex: '1 1 20rem' }}>
          <Text size="sm" maw="80ch">
            Each drawing is the first minute of one history of the link: when it is not as it should be, its
            rate, and its delay. <WhichFlow of={flows.data} />
          </Text>
          <PreviewLegend kinds={ALL_KINDS} />
        </Stack>
        {unknown.length > 0 && (
          <SignButton
            sign={IconPlayerPlay}
            loading={measuring.isPending}
            onClick={() => measuring.mutate(unknown)}
          >
            Measure {plural(unknown.length, 'link')}
          </SignButton>
        )}
      </Group>
      {measuring.error !== null && <Failure title="They could not be measured" error={measuring.error} />}
    </>
  );
}

/** Which flow was measured, in two sentences. */
export function WhichFlow({ of: { experiment, variant, workload, seed } }: { readonly of: Flows }) {
  return (
    <>
      What one flow gets through it is one simulated run of{' '}
      <TextLink to={to.document('experiment', experiment)}>{experiment}</TextLink>: {variant},{' '}
      {lower(workload)}, seed {seed}. Another seed may give other numbers.
    </>
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
