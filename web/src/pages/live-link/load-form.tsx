import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';

import { api, type Schema } from '../../api/client';
import { useDocuments } from '../../api/documents';
import { seedProblem } from '../../lib/seed';
import { Asked, Failure } from '../../ui/asked';
import { DocumentSelect, titlesOf } from '../../ui/document-select';
import { Muted, Prose } from '../../ui/text';
import { notifyDone } from '../../ui/notify';
import { EMULATOR } from './use-emulator';
import { planeInWords, whyNot } from './words';

interface Props {
  readonly emulator: Schema<'EmulatorLink'>;
  readonly disabled: boolean;
}

/** Lets another link stand: any that is kept here. */
export function LoadForm({ emulator, disabled }: Props) {
  const links = useDocuments('links');
  const [name, setName] = useState<string | null>(null);
  const [seed, setSeed] = useState(emulator.seed);
  const [plane, setPlane] = useState(emulator.plane);
  const queries = useQueryClient();
  const load = api.useMutation('put', `${EMULATOR}/link`);
  const wrong = seedProblem(seed);
  const why = whyNot(emulator.planes);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (name === null || wrong !== null) return;
    load.mutate(
      { body: { name, seed, plane } },
      {
        onSuccess: (now) => {
          queries.setQueryData(api.queryOptions('get', EMULATOR).queryKey, now);
          notifyDone(`${now.link.name} is in force`, now.link.title);
        },
      },
    );
  };
  return (
    <Asked query={links} failed="The links could not be read" what="the links" rows={2}>
      {(all) => (
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Muted>
              It starts at its time zero; packets inside the old link are lost, and changes by hand end.
            </Muted>
            <Group gap="sm" align="flex-start">
              <DocumentSelect
                label="Link"
                documents={titlesOf(all)}
                scenarios
                value={name}
                onChange={setName}
              />
              <TextInput
                label="Seed"
                w={210}
                value={seed}
                error={wrong}
                onChange={({ currentTarget: { value } }) => setSeed(value)}
              />
              <Select
                label="Plane"
                description={why && <Prose text={why} />}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                w={260}
                data={emulator.planes.map(({ name, works }) => ({
                  value: name,
                  label: planeInWords(name),
                  disabled: !works,
                }))}
                value={plane}
                onChange={(value) => setPlane(value === 'netem' ? 'netem' : 'model')}
              />
            </Group>
            {load.error !== null && <Failure title="The link was not loaded" error={load.error} />}
            <Group>
              <Button
                type="submit"
                loading={load.isPending}
                disabled={disabled || name === null || wrong !== null}
              >
                Load link
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Asked>
  );
}
