import { Button } from '@mantine/core';

import { useDocuments } from '../../api/documents';
import { ask } from '../../ui/ask';
import { titlesOf } from '../../ui/document-select';
import { AskedPage, both, Nowhere, sentence } from '../../ui/asked';
import { to } from '../../ui/links';
import { Notice } from '../../ui/text';
import { Page } from '../../ui/page';
import { ExperimentForm } from './form';
import { useDraft, type Drafting } from './use-draft';

const ABOVE = [{ label: 'Experiments', to: to.experiments }];

/** A new experiment, a copy of one, or a change of one's own: link, variants, workload, runs. */
export function Component() {
  const drafting = useDraft();
  const { draft, from, edited, replay, error } = drafting;
  const lists = both(
    both(useDocuments('links'), useDocuments('variants')),
    both(useDocuments('workloads'), useDocuments('experiments')),
  );
  const begun = { data: draft ?? undefined, error: draft === null ? error : null, refetch: drafting.retry };
  const title = titleOf(drafting);
  return (
    <AskedPage
      query={both(lists, begun)}
      title={title}
      above={ABOVE}
      failed={
        lists.error
          ? 'Links, variants and workloads could not be read'
          : replay === null
            ? 'The experiment cannot be read'
            : `Run ${replay.run} cannot be replayed`
      }
      what="what can be chosen"
      rows={8}
      none={
        replay === null ? (
          <Nowhere
            title={title}
            above={ABOVE}
            heading={`There is no experiment called ${edited ?? from ?? ''}`}
            go={['Start an empty one', to.newExperiment]}
          >
            It may have been deleted. See the list of experiments.
          </Nowhere>
        ) : (
          <Nowhere
            title={title}
            above={ABOVE}
            heading={`Run ${replay.run} cannot be replayed`}
            go={['Start an empty experiment', to.newExperiment]}
          >
            {sentence(error)}
          </Nowhere>
        )
      }
    >
      {([[[links, variants], [workloads, experiments]], filled]) => (
        <Page
          title={title}
          above={ABOVE}
          about="Choose the link and what happens on it, the TCPs to compare and the repetitions. This tab keeps your input until you save it."
          actions={
            <Button
              onClick={() => {
                ask({
                  title: 'Start over?',
                  about: 'Unsaved input will be lost.',
                  yes: 'Start over',
                  no: 'Keep it',
                  onYes: drafting.reset,
                });
              }}
            >
              Start over
            </Button>
          }
        >
          {drafting.restored && (
            <Notice role="status" color="blue" title="Unsaved input from before">
              {edited !== null
                ? `It differs from ${edited} as saved. “Start over” returns to that.`
                : '“Start over” discards it.'}
            </Notice>
          )}
          <ExperimentForm
            draft={filled}
            change={drafting.change}
            forget={drafting.forget}
            edited={edited}
            existing={{
              links: titlesOf(links),
              variants: titlesOf(variants),
              workloads: titlesOf(workloads),
              experiments: titlesOf(experiments),
            }}
          />
        </Page>
      )}
    </AskedPage>
  );
}

function titleOf({ edited, from, replay }: Drafting): string {
  if (replay !== null) return `A replay of run ${replay.run}`;
  if (edited !== null) return `Change ${edited}`;
  return from === null ? 'New experiment' : `A copy of ${from}`;
}
