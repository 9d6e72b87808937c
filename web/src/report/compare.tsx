import type { Report, RunEntry } from '../series/report';
import { Choice } from '../results/choice';
import { hasLive, testbedTitle } from '../results/model';
import { variantTitle } from './values';

interface Props {
  readonly report: Report;
  readonly run: RunEntry;
  readonly versus: string | null;
  readonly onChange: (versus: string | null) => void;
}

/** Chooses the run that stands beside the one on show: another variant, or the same in another testbed. */
export function Compare({ report, run, versus, onChange }: Props) {
  const others = report.testbeds
    .flatMap((testbed) => report.experiment.variants.map(({ name }) => ({ variant: name, testbed })))
    .filter((one) => one.variant !== run.variant || one.testbed !== run.testbed)
    .map((one) => ({ ...one, value: versusOf(run, one.variant, one.testbed) }))
    .filter((one) => counterpart(report, run, one.value) !== null);
  if (others.length === 0) return null;
  const other = versus === null ? null : counterpart(report, run, versus);
  return (
    <div className="options">
      <Choice
        label="compare with"
        value={other === null ? '' : versusOf(run, other.variant, other.testbed)}
        of={[
          ['', `no other ${hasLive(report.testbeds) ? 'run' : 'variant'}`],
          ...others.map(
            ({ variant, testbed, value }) =>
              [
                value,
                `${variantTitle(report, variant)}${hasLive(report.testbeds) ? `, ${testbedTitle(testbed)}` : ''}`,
              ] as const,
          ),
        ]}
        onChange={(value) => onChange(value === '' ? null : value)}
      />
    </div>
  );
}

/**
 * The run of the same repetition that a permalink's `vs` names: a variant in the same testbed, or `TESTBED:VARIANT`.
 * All runs of a repetition have the same seed.
 */
export function counterpart(report: Report, run: RunEntry, versus: string): RunEntry | null {
  const prefix = report.testbeds.find((testbed) => versus.startsWith(`${testbed}:`));
  const testbed = prefix ?? run.testbed;
  const variant = prefix === undefined ? versus : versus.slice(prefix.length + 1);
  if (variant === run.variant && testbed === run.testbed) return null;
  return (
    report.runs.find(
      (one) =>
        one.variant === variant &&
        one.testbed === testbed &&
        one.link === run.link &&
        one.repetition === run.repetition,
    ) ?? null
  );
}

function versusOf(run: RunEntry, variant: string, testbed: string): string {
  return testbed === run.testbed ? variant : `${testbed}:${variant}`;
}
