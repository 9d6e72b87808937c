import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';

import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import type { Commands } from './commands';
import { useForm } from './use-form';

/** What the hosts run. */
export function CommandFields({ commands }: { readonly commands: Commands }) {
  const { change, message } = useForm();
  const field = (key: keyof Commands) => ({
    value: commands[key],
    error: message(`workload.${key}`),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ commands: { ...commands, [key]: currentTarget.value } }),
  });
  return (
    <Stack gap="sm">
      <Text size="sm">
        The result is the client’s exit code and time; captures, rates, delays and losses cover every packet.
        Commands run in containers of your own, on the testbed <b>compose</b>;{' '}
        <TextLink to={to.testbeds}>Testbeds</TextLink> says whether it is available.
      </Text>
      <TextInput
        label="The client runs"
        description="A program and its arguments. {server} stands for the server’s address"
        {...field('client')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="The server runs"
          description="Ended with the run. Empty: its container already runs a server"
          {...field('server')}
        />
        <TextInput
          label="Port to wait for"
          description="TCP or UDP, at the server. Empty: no waiting"
          inputMode="numeric"
          {...field('port')}
        />
      </SimpleGrid>
    </Stack>
  );
}
