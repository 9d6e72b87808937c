import { Code, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';

import { api, type Schema } from '../../api/client';
import { madeBy } from '../../lib/made-by';
import { type Resolved, useResolved } from '../../parts/use-resolved';
import { testbedTitle, titleIn } from '../../results/model';
import { Asked, both, Empty } from '../../ui/asked';
import { BatchTags } from '../../ui/batch/batch-facts';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Page, Section } from '../../ui/page';
import { Row, WideTable } from '../../ui/table';
import { Bullets, Muted } from '../../ui/text';
import { useAddress } from '../../ui/use-address';
import { useTyped } from '../../ui/use-typed';
import { Findings } from './findings';
import { askedIn, batchIn, KEYS, type Side, sidesOf } from './two-sides';
import { useComparison } from './use-comparison';
import { MeaningOfVerdicts, MetricsSelect } from './verdicts';

type Batch = Schema<'BatchView'>;

/** Typing goes on for so long before the controller is asked. */
const PAUSE_MS = 400;

/** A variant of one batch beside one of another: two nights, two versions, two links. */
export function Component() {
  const { params } = useAddress();
  const [a, b] = [askedIn(params, 'a'), askedIn(params, 'b')];
  const [first] = useDebouncedValue(a.batch, PAUSE_MS);
  const [second] = useDebouncedValue(b.batch, PAUSE_MS);
  return (
    <Page
      title="Two batches"
      above={[{ label: 'Runs', to: to.batches }]}
      about="A variant of one batch beside the same or another variant of another batch: of two nights, two versions, two links."
    >
      <Group align="flex-start" gap="sm">
        <BatchInput label="Baseline" name={KEYS.a.batch} />
        <BatchInput label="Candidate" name={KEYS.b.batch} />
      </Group>
      {first === null || second === null ? (
        <Empty title="Two batches to compare">
          Enter the numbers of two batches, or select two of the runs page and choose Compare.
        </Empty>
      ) : (
        <Both key={`${first} ${second}`} first={first} second={second} />
      )}
    </Page>
  );
}

function BatchInput({ label, name }: { readonly label: string; readonly name: string }) {
  const [text, setText] = useTyped(name);
  const wrong = text !== '' && batchIn(text) === null;
  return (
    <TextInput
      label={label}
      description="Its batch number"
      w={140}
      inputMode="numeric"
      value={text}
      error={wrong && 'A whole number, as 12'}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

function Both({ first, second }: { readonly first: number; readonly second: number }) {
  const { params } = useAddress();
  const batches = both(useBatch(first), useBatch(second));
  const resolved = both(useResolved(first), useResolved(second));
  return (
    <Asked
      query={both(batches, resolved)}
      failed="The batches could not be read"
      what="both batches"
      rows={8}
    >
      {([[one, other], [left, right]]) => {
        const sides = sidesOf(
          { ...askedIn(params, 'a'), batch: first },
          { ...askedIn(params, 'b'), batch: second },
          left,
          right,
        );
        return sides === null ? (
          <Empty title="Nothing to compare">One of the batches has no variant.</Empty>
        ) : (
          <Stack gap="xl">
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <SideCard title="Baseline" which="a" batch={one} side={sides[0]} titles={left} />
              <SideCard title="Candidate" which="b" batch={other} side={sides[1]} titles={right} />
            </SimpleGrid>
            <Compared sides={sides} titles={[left, right]} />
          </Stack>
        );
      }}
    </Asked>
  );
}

function useBatch(id: number) {
  return api.useQuery('get', '/api/v1/batches/{id}', { params: { path: { id } } });
}

interface SideProps {
  readonly title: string;
  readonly which: keyof typeof KEYS;
  readonly batch: Batch;
  readonly side: Side;
  readonly titles: Resolved;
}

/** One of the two: which batch it is, and what of it is compared. */
function SideCard({ title, which, batch, side, titles }: SideProps) {
  const { change } = useAddress();
  const named = ({ name, title: label }: { name: string; title: string }) => ({ value: name, label });
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Stack gap="xs">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <TextLink to={to.batch(batch.id)}>{batch.title || batch.experiment}</TextLink>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            batch {batch.id}, <Moment at={batch.created_at} />, {madeBy(batch.engine)}
          </Text>
        </div>
        <BatchTags batch={batch} />
        <Select
          label="Variant"
          data={titles.variants.map(named)}
          value={side.variant}
          allowDeselect={false}
          onChange={(variant) => change({ [KEYS[which].variant]: variant }, 'push')}
        />
        {titles.links.length > 1 || side.link !== null ? (
          <Select
            label="Link"
            placeholder="All that both batches have"
            data={titles.links.map(named)}
            value={side.link}
            clearable
            clearButtonProps={{ 'aria-label': 'All links that both batches have' }}
            onChange={(link) => change({ [KEYS[which].link]: link }, 'push')}
          />
        ) : (
          <Muted>On {titleIn(titles.links, titles.links[0]?.name ?? '')}</Muted>
        )}
      </Stack>
    </Paper>
  );
}

interface ComparedProps {
  readonly sides: readonly [Side, Side];
  readonly titles: readonly [Resolved, Resolved];
}

/** What differs in what the two were given, and what the runs say. */
function Compared({ sides, titles }: ComparedProps) {
  const { params } = useAddress();
  const metrics = params.getAll('m');
  const [baseline, candidate] = sides;
  const asked = { baseline, candidate, ...(metrics.length > 0 && { metrics }) };
  const query = useComparison(asked, ['/api/v1/batches'], !isSame(sides));
  if (isSame(sides))
    return <Empty title="The same twice">Choose another variant, batch or link for one of the two.</Empty>;
  const name = (of: 0 | 1) => `${titleIn(titles[of].variants, sides[of].variant)}, batch ${sides[of].batch}`;
  return (
    <Asked query={query} failed="The two could not be compared" what="the verdicts" rows={8}>
      {(comparison) => (
        <>
          <Section title="What differs">
            <Differences of={comparison.apart} />
          </Section>
          <Section title="Verdicts">
            <MetricsSelect chosen={metrics} />
            {comparison.notes.length > 0 && <Bullets of={comparison.notes} />}
            {comparison.findings.length === 0 && <Muted>No runs of both have ended here yet.</Muted>}
            {[...placesOf(comparison.findings)].map(([place, findings]) => (
              <Findings
                key={place}
                comparison={comparison}
                findings={findings}
                baseline={`${name(0)} on ${titleIn(titles[0].links, findings[0].link)}, ${testbedTitle(findings[0].testbed)}`}
                candidate={name(1)}
              />
            ))}
            <MeaningOfVerdicts comparison={comparison} shown={comparison.findings} />
          </Section>
        </>
      )}
    </Asked>
  );
}

/** Findings by link and testbed. */
function placesOf(
  findings: readonly Schema<'Finding'>[],
): Map<string, [Schema<'Finding'>, ...Schema<'Finding'>[]]> {
  const places = new Map<string, [Schema<'Finding'>, ...Schema<'Finding'>[]]>();
  for (const finding of findings) {
    const place = `${finding.link} ${finding.testbed}`;
    const there = places.get(place);
    if (there === undefined) places.set(place, [finding]);
    else there.push(finding);
  }
  return places;
}

const isSame = ([one, other]: readonly [Side, Side]) =>
  one.batch === other.batch && one.variant === other.variant && one.link === other.link;

/** A longer list helps nobody; the files of both batches have all. */
const MOST_LISTED = 40;

/** What the two were given that is not the same: a difference of the results may be one of these. */
function Differences({ of }: { readonly of: Schema<'ComparisonView'>['apart'] }) {
  if (of.length === 0)
    return (
      <Muted>
        Nothing: link, workload, variant, testbed, seed, repetitions and engine are the same in both. Equal
        simulated runs have equal results.
      </Muted>
    );
  return (
    <Stack gap={4}>
      <Muted>A difference of the results may come from any of these, not from the variant alone.</Muted>
      <WideTable label="What differs" minWidth={320} heads={['What', 'Baseline', 'Candidate']}>
        {of.slice(0, MOST_LISTED).map(({ what, key, baseline, candidate }) => (
          <Row
            key={`${what} ${key ?? ''}`}
            head={
              <>
                {what}
                {key !== null && (
                  <>
                    {' '}
                    <Code>{key}</Code>
                  </>
                )}
              </>
            }
            cells={[baseline ?? 'none', candidate ?? 'none']}
          />
        ))}
      </WideTable>
      {of.length > MOST_LISTED && <Muted>And {of.length - MOST_LISTED} more.</Muted>}
    </Stack>
  );
}
