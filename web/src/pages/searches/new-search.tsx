import {
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { useNavigate } from 'react-router';

import { api } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { useDocument, useDocuments } from '../../api/documents';
import { metricLabel, METRICS } from '../../lib/metrics';
import { Asked, Failure } from '../../ui/asked';
import { DocumentSelect, titlesOf } from '../../ui/document-select';
import { to } from '../../ui/links';
import { Muted } from '../../ui/text';
import { type Choices, choicesOf, givenOf, START, whatIsMissing, type Wanted } from './wanted';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The experiment that it begins with, if one was chosen elsewhere. */
  readonly experiment: string | null;
}

/** Asks what is to be searched, and has it searched. */
export function NewSearch({ opened, onClose, experiment }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="New search" size="lg">
      <Form onClose={onClose} experiment={experiment} />
    </Modal>
  );
}

function Form({ onClose, experiment }: Omit<Props, 'opened'>) {
  const [wanted, setWanted] = useState<Wanted>({ ...START, experiment });
  const change = (changes: Partial<Wanted>) => setWanted({ ...wanted, ...changes });
  const experiments = useDocuments('experiments');
  const { data: chosen } = useDocument('experiments', wanted.experiment);
  const choices = choicesOf(chosen?.resolved);
  const keys = useCreationKeys();
  const navigate = useNavigate();
  const create = api.useMutation('post', '/api/v1/searches');
  const missing = whatIsMissing(wanted, choices);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const body = givenOf(wanted, choices);
    if (body === null || missing !== null) return;
    create.mutate(
      { body, params: { header: { 'Idempotency-Key': keys.keyOf(body) } } },
      {
        onSuccess: (made) => {
          keys.done(body);
          void navigate(to.search(made.id));
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Asked query={experiments} failed="The experiments could not be read" what="the experiments" rows={2}>
          {(all) => (
            <DocumentSelect
              label="Experiment"
              description="Its link is varied; it runs in simulation"
              documents={titlesOf(all)}
              value={wanted.experiment}
              onChange={(name) => change({ experiment: name, variant: null, against: null, link: null })}
            />
          )}
        </Asked>
        <What wanted={wanted} choices={choices} change={change} />
        <More wanted={wanted} change={change} />
        {missing !== null && <Muted role="status">{missing}</Muted>}
        {create.error !== null && <Failure title="It cannot be searched" error={create.error} />}
        <Group justify="flex-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={create.isPending} disabled={missing !== null}>
            Search
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly wanted: Wanted;
  readonly change: (changes: Partial<Wanted>) => void;
}

/** What is to be as bad as possible. */
function What({ wanted, choices, change }: PartProps & { readonly choices: Choices }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label="Variant"
          description="The one that is to be worst"
          data={[...choices.variants]}
          value={wanted.variant ?? (choices.variants.length === 1 ? choices.variants[0] : null)}
          onChange={(variant) => change({ variant })}
        />
        <Select
          label="Against"
          description="A baseline on the same links, if you want one"
          placeholder="No baseline"
          data={choices.variants.filter((name) => name !== wanted.variant)}
          value={wanted.against}
          clearable
          onChange={(against) => change({ against })}
        />
        <Select
          label="Worst"
          description="The metric that is to be as bad as possible"
          searchable
          allowDeselect={false}
          data={METRICS.map((metric) => ({ value: metric.name, label: metricLabel(metric) }))}
          value={wanted.worst}
          onChange={(worst) => worst !== null && change({ worst })}
        />
        <NumberInput
          label="Links to try"
          description="Each is run with every variant and repetition"
          min={1}
          value={wanted.budget}
          onChange={(budget) => change({ budget })}
        />
      </SimpleGrid>
      {choices.links.length > 1 && (
        <Select
          label="Link that is varied"
          data={[...choices.links]}
          value={wanted.link}
          onChange={(link) => change({ link })}
        />
      )}
    </>
  );
}

/** What is usual unless somebody says otherwise. */
function More({ wanted, change }: PartProps) {
  return (
    <details>
      <summary>What may vary, and what counts as a failure</summary>
      <Stack gap="sm" mt="sm">
        <Textarea
          label="What may vary, as TOML"
          description="Empty: up to three events, and constant rates, delays and probabilities of the link"
          placeholder={'[events]\nmost = 2\nbegin = { from = "0 s", to = "20 s" }'}
          autosize
          minRows={3}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={wanted.space}
          onChange={({ currentTarget }) => change({ space: currentTarget.value })}
        />
        <TextInput
          label="A link fails if"
          description="A rule as for a gate. Empty: if it is half as bad as what was found"
          placeholder="elapsed.median > 2 * baseline"
          value={wanted.failIf}
          onChange={({ currentTarget }) => change({ failIf: currentTarget.value })}
        />
      </Stack>
    </details>
  );
}
