import { Alert, Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { Link } from 'react-router';

import { useDocuments } from '../../api/documents';
import { ApiFailure } from '../../api/failure';
import { titlesOf } from '../../ui/document-select';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Waiting } from '../../ui/waiting';
import { ExperimentForm } from './form';
import type { Existing } from './documents';
import { useDraft } from './use-draft';

const ABOVE = [{ label: 'Experiments', to: to.experiments }];

/** A new experiment, a copy of one, or a change of one's own: link, variants, workload, runs. */
export function Component() {
  const drafting = useDraft();
  const { draft, from, edited, error } = drafting;
  const links = useDocuments('links');
  const variants = useDocuments('variants');
  const workloads = useDocuments('workloads');
  const experiments = useDocuments('experiments');
  const lists = [links, variants, workloads, experiments];
  const title = edited !== null ? `Change ${edited}` : from !== null ? `A copy of ${from}` : 'New experiment';
  const failed = lists.find(({ isError }) => isError);
  if (failed?.data === undefined && failed)
    return (
      <Page title={title} above={ABOVE}>
        <Failure
          title="Links, variants and workloads could not be read"
          error={failed.error}
          onRetry={() => {
            for (const list of lists) void list.refetch();
          }}
        />
      </Page>
    );
  if (draft === null && error !== null)
    return (
      <Page title={title} above={ABOVE}>
        {error instanceof ApiFailure && error.status === 404 ? (
          <Empty
            title={`There is no experiment called ${edited ?? from ?? ''}`}
            action={
              <Button component={Link} to={to.newExperiment}>
                Start an empty one
              </Button>
            }
          >
            It may have been deleted. See the list of experiments.
          </Empty>
        ) : (
          <Failure title="The experiment cannot be read" error={error} onRetry={drafting.retry} />
        )}
      </Page>
    );
  if (draft === null || !links.data || !variants.data || !workloads.data || !experiments.data)
    return (
      <Page title={title} above={ABOVE}>
        <Waiting what="what can be chosen" rows={8} />
      </Page>
    );
  const existing: Existing = {
    links: titlesOf(links.data),
    variants: titlesOf(variants.data),
    workloads: titlesOf(workloads.data),
    experiments: titlesOf(experiments.data),
  };
  return (
    <Page
      title={title}
      above={ABOVE}
      about="Choose a link and draw on it, choose the TCPs to compare and the repetitions. This tab keeps your input until you save it."
      actions={
        <Button
          variant="default"
          onClick={() => {
            modals.openConfirmModal({
              title: 'Start over?',
              children: <Text size="sm">Unsaved input will be lost.</Text>,
              labels: { confirm: 'Start over', cancel: 'Keep it' },
              onConfirm: drafting.reset,
            });
          }}
        >
          Start over
        </Button>
      }
    >
      {drafting.restored && (
        <Alert role="status" variant="light" color="blue" title="Unsaved input from before">
          <Text size="sm" c="var(--mantine-color-text)">
            {edited !== null
              ? `It differs from ${edited} as saved. “Start over” returns to that.`
              : '“Start over” discards it.'}
          </Text>
        </Alert>
      )}
      <ExperimentForm
        draft={draft}
        change={drafting.change}
        forget={drafting.forget}
        edited={edited}
        existing={existing}
      />
    </Page>
  );
}
