import { Button, Group, Menu, Modal, NumberInput, Stack } from '@mantine/core';
import { IconArrowsSort, IconBan, IconChevronDown, IconGitCompare, IconTimeline } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';

import type { Schema } from '../../api/client';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { BatchMenu } from '../../ui/batch/menu';
import type { BatchActions } from '../../ui/batch/use-batch-actions';
import { LinkButton, SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Downloads } from './downloads';
import { RunAgain } from './run-again';

interface Props {
  readonly batch: Schema<'BatchView'>;
  /** The number of its first run, once it is known. */
  readonly firstRun: number | null;
  readonly actions: BatchActions;
  readonly onDeleted: () => void;
}

/** What can be done with a batch. */
export function Actions({ batch, firstRun, actions, onDeleted }: Props) {
  const [priority, setPriority] = useState(false);
  return (
    <>
      {batch.state !== 'ended' && (
        <SignButton
          loading={actions.busy}
          sign={IconBan}
          onClick={() => askToCancelBatch(batch, actions.cancel)}
        >
          Cancel
        </SignButton>
      )}
      <LinkButton to={to.compare(batch.id)} sign={IconGitCompare}>
        Compare variants
      </LinkButton>
      <LinkButton to={to.trendOf('experiment', batch.experiment)} sign={IconTimeline}>
        Trend
      </LinkButton>
      <Downloads batch={batch} />
      <RunAgain batch={batch} firstRun={firstRun} />
      <BatchMenu
        {...{ batch, actions, onDeleted }}
        target={<Button rightSection={<IconChevronDown size={14} aria-hidden />}>More</Button>}
        beforePin={
          <Menu.Item leftSection={<IconArrowsSort size={16} aria-hidden />} onClick={() => setPriority(true)}>
            Change priority
          </Menu.Item>
        }
      />
      <PriorityDialog
        opened={priority}
        priority={batch.priority}
        onClose={() => setPriority(false)}
        onSet={(next) => actions.change({ priority: next })}
      />
    </>
  );
}

interface PriorityDialogProps {
  readonly opened: boolean;
  readonly priority: number;
  readonly onClose: () => void;
  readonly onSet: (priority: number) => void;
}

/** Asks which priority the waiting runs of a batch should have. */
function PriorityDialog(props: PriorityDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Priority">
      <Form {...props} />
    </Modal>
  );
}

function Form({ priority, onClose, onSet }: PriorityDialogProps) {
  const [value, setValue] = useState<number | string>(priority);
  const number = Number(value);
  const good = value !== '' && Number.isInteger(number) && Math.abs(number) <= 1000;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!good) return;
    onSet(number);
    onClose();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <NumberInput
          label="Priority of waiting runs"
          description="Higher goes first; of equals, the older batch"
          value={value}
          onChange={setValue}
          clampBehavior="none"
          error={good ? null : 'A whole number from −1000 to 1000'}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled">
            Set
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
