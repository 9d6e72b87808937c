import { Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';

import { useMeasuring, type Flow } from '../../../api/flows';
import { metricInWords, metricLabel, metricOf } from '../../../lib/metrics';
import { Failure } from '../../../ui/asked';
import { SignButton, TextLink } from '../../../ui/buttons';
import { to } from '../../../ui/links';
import { Busy, Wrong } from '../../../ui/text';

/** What is told of a flow, in this order. */
const TOLD = [
  'goodput_bps',
  'queue_delay_s',
  'packets_lost',
  'retransmissions',
  'unnecessary_retransmissions',
] as const;

interface Props {
  readonly link: string;
  /** Its run, if there is one. */
  readonly flow: Flow | undefined;
}

/** What one flow got through a link in one run, or what has it measured. */
export function FlowFigures({ link, flow }: Props) {
  const measuring = useMeasuring();
  const measure = () => measuring.mutate([link]);
  if (flow?.measured) return <Measured flow={flow} measured={flow.measured} />;
  if (flow?.state === 'queued' || flow?.state === 'running')
    return <Busy>{flow.state === 'queued' ? 'Waits for a worker' : 'Being simulated'}</Busy>;
  return (
    <Stack gap={6} align="flex-start">
      {flow !== undefined && (
        <Wrong size="xs">
          <TextLink to={to.run(flow.run)}>The run</TextLink>{' '}
          {flow.state === 'cancelled' ? 'was cancelled' : 'failed'}
          {flow.reason !== null && `: ${flow.reason}`}.
        </Wrong>
      )}
      <SignButton
        size="xs"
        sign={IconPlayerPlay}
        loading={measuring.isPending}
        aria-label={`Measure one flow through ${link}`}
        onClick={measure}
      >
        {flow === undefined ? 'Measure one flow' : 'Measure again'}
      </SignButton>
      {measuring.error !== null && <Failure title="It could not be measured" error={measuring.error} />}
    </Stack>
  );
}

interface MeasuredProps {
  readonly flow: Flow;
  readonly measured: NonNullable<Flow['measured']>;
}

function Measured({ flow, measured }: MeasuredProps) {
  return (
    <dl className="flow-figures">
      {TOLD.map((name) => {
        const metric = metricOf(name);
        const value = measured[name];
        return (
          <div key={name} title={metric.definition}>
            <Text component="dt" size="xs" c="dimmed">
              {metricLabel(metric)}
            </Text>
            <Text component="dd" m={0} size="sm" fw={name === 'goodput_bps' ? 600 : 400}>
              {value === null ? 'not known' : metricInWords(value, metric)}
            </Text>
          </div>
        );
      })}
      <div>
        <Text component="dt" size="xs" c="dimmed">
          Seen in
        </Text>
        <Text component="dd" m={0} size="sm">
          <TextLink to={to.run(flow.run)} underline="always">
            run {flow.run}
          </TextLink>
        </Text>
      </div>
    </dl>
  );
}
