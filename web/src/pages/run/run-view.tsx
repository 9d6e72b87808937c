import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconArchive, IconBan, IconX } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { useSeries } from '../../figures/use-series';
import { ofRun } from '../../series/address';
import { Later } from '../../ui/later';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { KeyMetrics } from '../../parts/key-metrics';
import { NOT_KNOWN, useResolved } from '../../parts/use-resolved';
import { titleIn } from '../../results/model';
import { CertificateFacts } from '../../results/certificate';
import { Mark } from '../../results/mark';
import type { Certificate as CertificateFile } from '../../series/report';
import { Bullets, Muted, Notice, Prose } from '../../ui/text';
import { sentence } from '../../ui/asked';
import { Moment } from '../../ui/moment';
import { endsTheSame, withLimit } from '../../ui/time-limit';
import { capital, formatOctets } from '../../lib/format';
import { remarksOn } from '../../lib/remarks';
import { DownloadButton } from '../../ui/buttons';
import { Actions } from './actions';
import { Commands } from './commands';
import { ConnectionChooser, connectionIn, RunConnection } from './connections';
import { Head } from './head';
import { Pending } from './pending';
import { Result } from './result';
import { Settings } from './settings';

/** The page of a run in whatever state it is. */
export function RunView({ run }: { readonly run: Schema<'RunView'> }) {
  const gone = typeof run.result?.evicted_at === 'string';
  const files = run.result !== null && !gone;
  const series = useSeries(files ? ofRun(run.id) : null);
  // The diagram is what one comes for: what stands around it is asked for when nothing more of it is awaited.
  const rest = { enabled: !files || !series.isPending };
  const path = { params: { path: { id: run.batch } } };
  const batch = api.useQuery('get', '/api/v1/batches/{id}', path, rest);
  const resolved = useResolved(run.batch, rest.enabled).data ?? NOT_KNOWN;
  const variant = titleIn(resolved.variants, run.variant);
  const { params, change } = useAddress();
  const connection = connectionIn(params);
  const choose = (number: number | null) => {
    // What the diagram of one shows is not in the other's.
    const view = { t: null, y: null, episode: null, pin: null };
    change({ ...view, connection: number === null ? null : String(number) }, 'push');
  };
  return (
    <Page
      title={`${variant}, repetition ${run.repetition}`}
      above={[
        { label: 'Runs', to: to.batches },
        { label: batch.data?.title ?? `Batch ${run.batch}`, to: to.batch(run.batch) },
      ]}
      actions={<Actions run={run} />}
    >
      <Stack gap="md">
        <Head run={run} resolved={resolved} beside={rest.enabled} />
        <Trouble run={run} limitS={resolved.timeLimitS} />
        {(run.state === 'queued' || run.state === 'running') && <Pending run={run} />}
        {files && rest.enabled && <ConnectionChooser run={run} chosen={connection} onChoose={choose} />}
        {files && connection !== null ? (
          <RunConnection key={connection} run={run} number={connection} />
        ) : (
          <>
            {files && <Result run={run} series={series} variant={variant} batch={batch.data} />}
            {run.result !== null && <Remarks metrics={run.result.metrics} />}
            {run.result !== null && <KeyMetrics metrics={run.result.metrics} />}
          </>
        )}
        {files && 'packets_down' in (run.result?.metrics ?? {}) && <Commands run={run.id} />}
        <Later>
          {run.result?.certificate && <Certificate certificate={run.result.certificate} />}
          {files && run.testbed !== 'sim' && <Settings run={run.id} />}
          {files && <Downloads run={run} />}
        </Later>
      </Stack>
    </Page>
  );
}

/** What must not be overlooked in what it measured. */
function Remarks({ metrics }: { readonly metrics: Readonly<Partial<Record<string, number>>> }) {
  return remarksOn((name) => metrics[name]).map((remark) => (
    <Notice key={remark} color="yellow" sign={IconAlertTriangle} role="note">
      {capital(remark)}.
    </Notice>
  ));
}

/** How true to its plan a live run was, with every number that says so. Why one is not valid stands above it all: `Trouble`. */
function Certificate({ certificate }: { readonly certificate: CertificateFile }) {
  return (
    <Section
      title="Fidelity certificate"
      beside={<Mark word={certificate.valid ? 'valid' : 'not valid'} />}
      gap="xs"
    >
      <CertificateFacts certificate={certificate} />
    </Section>
  );
}

interface Props {
  readonly run: Schema<'RunView'>;
  /** The time limit of a simulated run, where it is known. */
  readonly limitS: number | null;
}

/** Why a run came to nothing, does not count, or has no files any more; nothing if all is well. */
function Trouble({ run, limitS }: Props) {
  const evicted = run.result?.evicted_at ?? null;
  return (
    <>
      {run.state === 'failed' && (
        <Notice color="red" sign={IconX} title="The run failed" role="status">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <Prose text={sentence(withLimit(run, limitS) ?? 'no reason is known')} />
          </Text>
          <Text size="sm" mt="xs">
            “Try again” queues it again, unchanged.{' '}
            {endsTheSame(run) && 'A simulated run is the same every time and will fail again. '}If the
            experiment is the cause, change it and run it again.
          </Text>
        </Notice>
      )}
      {run.state === 'cancelled' && (
        <Notice color="gray" sign={IconBan} title="The run was cancelled" role="status">
          It has no result. “Try again” queues it again.
        </Notice>
      )}
      {run.state === 'invalid' && (
        <Notice color="yellow" sign={IconAlertTriangle} title="The run is not valid" role="status">
          <Text size="sm">
            The link deviated too far from its plan, so the machine rather than the link may have caused what
            happened. Results and comparisons exclude the run.
          </Text>
          <Bullets of={(run.reason ?? '').split('; ')} mt="xs" />
        </Notice>
      )}
      {evicted !== null && (
        <Notice color="gray" sign={IconArchive} title="The run’s files were removed" role="status">
          They were removed <Moment at={evicted} /> to make room. The numbers remain; run it again to restore
          diagram, episodes and captures{run.testbed === 'sim' && ', with the same engine byte for byte'}.
        </Notice>
      )}
    </>
  );
}

type Run = Schema<'RunView'>;

/** Files as the engine names them, where the API has them, and what they are. */
const DOWNLOADS = [
  ['server.pcapng', 'captures/server', 'Capture, server'],
  ['client.pcapng', 'captures/client', 'Capture, client'],
  ['emulator.pcapng', 'captures/emulator', 'Capture, emulator'],
  ['fates.csv', 'fates', 'Fate of each packet'],
  ['events.jsonl', 'events', 'Events of link and sender'],
  ['server.sqlog', 'qlogs/server', 'qlog, server'],
  ['client.sqlog', 'qlogs/client', 'qlog, client'],
  ['run.json', 'analysis', 'Analysis'],
] as const;

/** All files of a run, and the one that has them all. */
function Downloads({ run }: { readonly run: Run }) {
  const files = run.result?.files ?? [];
  return (
    <Section title="Downloads" gap="xs">
      <Group gap="sm">
        <DownloadButton
          href={`/api/v1/runs/${run.id}/capsule`}
          download={`run-${run.id}.capsule.zip`}
          variant="filled"
          size="sm"
        >
          Download everything
        </DownloadButton>
        <Muted>
          A capsule: the whole run in one file, which “windlull capsule” and every Windlull service read
        </Muted>
      </Group>
      <details>
        <Text component="summary" size="sm">
          Single files
        </Text>
        <Group gap="xs" mt="xs">
          {DOWNLOADS.map(([file, path, label]) => {
            const known = files.find(({ name }) => name === file);
            if (known === undefined) return null;
            return (
              <DownloadButton
                key={file}
                href={`/api/v1/runs/${run.id}/${path}`}
                download={`run-${run.id}-${file.replace('run.json', 'analysis.json')}`}
                title={file}
              >
                {label} ({formatOctets(known.bytes)})
              </DownloadButton>
            );
          })}
        </Group>
      </details>
      {!files.some(({ name }) => name.endsWith('.pcapng')) && (
        <Muted>The batch was submitted without captures.</Muted>
      )}
    </Section>
  );
}
