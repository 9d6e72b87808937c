import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';

interface Props {
  readonly opened: boolean;
  readonly priority: number;
  readonly onClose: () => void;
  readonly onSet: (priority: number) => void;
}

/** Asks which priority the waiting runs of a batch should have. */
export function PriorityDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Priority">
      <Form {...props} />
    </Modal>
  );
}

function Form({ priority, onClose, onSet }: Props) {
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
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Set</Button>
        </Group>
      </Stack>
    </form>
  );
}
