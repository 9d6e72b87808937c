import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';

import { REPLAY_WAYS, replayWay } from '../../lib/replay';
import { Failure } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Busy, Muted } from '../../ui/text';
import type { Replay } from './replay';
import { useForm } from './use-form';

/** In the place of a link: what the packets of a run met. */
export function ReplayedLink({ replay }: { readonly replay: Replay }) {
  const { change, outcome, errors, replayed, replayError, message } = useForm();
  const way = replayWay(replay.by);
  return (
    <Stack gap="sm">
      <Text size="sm">
        What the packets of <TextLink to={to.run(replay.run)}>run {replay.run}</TextLink> met: each packet is
        as long on its way, or lost by the same cause, as the recorded one.
      </Text>
      <Group align="flex-end" gap="md">
        <Select
          label="Each packet meets the fate of the recorded packet"
          miw={300}
          allowDeselect={false}
          data={REPLAY_WAYS.map(({ by, title }) => ({ value: by, label: title }))}
          value={replay.by}
          error={errors.link ?? message('link')}
          onChange={(by) => change({ replay: { ...replay, by: replayWay(by)?.by ?? replay.by } })}
        />
        <Button onClick={() => change({ replay: null })}>Choose a link instead</Button>
      </Group>
      {way !== null && <Muted>{way.about}</Muted>}
      {replayError !== null ? (
        <Failure title="The run cannot be replayed so" error={replayError} />
      ) : (
        replayed === null && <Busy>Reading what the packets met …</Busy>
      )}
      {outcome.link && (
        <TextInput
          label="The link with what they met is saved as"
          description="A link of your own with every packet’s fate in its text: it stays when the run is deleted, and other experiments can use it, too."
          maw={420}
          value={outcome.link.name}
          error={errors.linkName}
          onChange={({ currentTarget }) => change({ linkName: currentTarget.value })}
        />
      )}
    </Stack>
  );
}
