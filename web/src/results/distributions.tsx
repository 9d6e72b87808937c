import { useRef } from 'react';

import { boxDomain } from '../figures/box-axis';
import { PAGE_COLORS } from '../figures/box-colors';
import { BoxPlot, type BoxDot, type BoxRow } from '../figures/box-plot';
import type { SaveFigures } from './save-figures';
import { useWidth } from '../figures/use-width';
import { formatMetric, metricTitle } from '../lib/metric';
import { Choice } from './choice';
import {
  allMetrics,
  firstMetric,
  averageOf,
  cellKey,
  cellsByLink,
  hasLive,
  publishedValue,
  SIMULATED,
  testbedTitle,
  titleIn,
  type Cell,
  type Results,
} from './model';

interface Props {
  readonly results: Results;
  /** The metric that is asked for; the first that is there, if there is none of it. */
  readonly metric: string | null;
  readonly onMetric: (metric: string) => void;
  /** The single runs of a cell. */
  readonly dotsOf: (cell: Cell, metric: string) => readonly BoxDot[];
  /** The key of the dot on show. */
  readonly selected?: string | null;
  readonly onDot: (key: string) => void;
  /** What happens to a dot that is chosen: `open it`. */
  readonly dotInWords: string;
  /** What a saved figure is of: a word for the file's name, and all that its provenance tells; and what saves it. */
  readonly save?: { readonly file: string; readonly provenance: string; readonly by: typeof SaveFigures };
}

/** Distribution of a metric over the repetitions, a plot for each link, to choose the metric of and to save; nothing where nothing was measured. */
export function Distributions(props: Props) {
  const names = allMetrics(props.results);
  const name = [props.metric, firstMetric(props.results), ...names].find(
    (one) => one !== null && names.includes(one),
  );
  return name === undefined || name === null ? null : <Plots {...props} names={names} name={name} />;
}

interface PlotsProps extends Props {
  readonly names: readonly string[];
  readonly name: string;
}

function Plots(props: PlotsProps) {
  const { results, names, name, onMetric, onDot, dotInWords, save } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const metric = results.metricOf(name);
  const groups = cellsByLink(results);
  const plots = groups.map(({ link, cells }) => ({
    link,
    rows: rowsOf(results, cells, name, props.dotsOf),
    title: metricTitle(metric),
    say: (value: number) => formatMetric(value, metric),
    domain: domainOf(results, name),
  }));
  const printed = results.cells.some((cell) => publishedValue(results.published, cell, name) !== null);
  return (
    <>
      <div className="options">
        <Choice
          label="Metric"
          value={name}
          of={names.map((one) => [one, metricTitle(results.metricOf(one))])}
          onChange={onMetric}
        />
        {save && (
          <save.by
            figures={plots.map(({ link, ...plot }) => ({
              name: plots.length > 1 ? `${name}-${link}` : name,
              plot,
            }))}
            file={save.file}
            provenance={`${metricTitle(metric)}, ${save.provenance}`}
          />
        )}
      </div>
      <figure className="boxes" ref={frame}>
        {width > 0 &&
          plots.map(({ link, ...plot }, i) => (
            <div key={link}>
              {plots.length > 1 && <h3>{titleIn(results.links, link)}</h3>}
              <BoxPlot
                {...plot}
                width={width}
                axisTitle={i === plots.length - 1}
                colors={PAGE_COLORS}
                selected={props.selected ?? null}
                onSelect={onDot}
              />
            </div>
          ))}
        <figcaption>
          <b>{metricTitle(metric)}.</b> {metric.definition}{' '}
          {metric.better !== null && `${metric.better === 'lower' ? 'Lower' : 'Higher'} is better. `}
          The line in the box is the median, the box spans the quartiles, the whiskers reach the least and the
          greatest. Each dot is a run: choose one to {dotInWords}.
          {hasLive(results.testbeds) &&
            ' Blue boxes are of simulated runs, green ones of live runs that are valid.'}
          {printed && ` The diamond is the ${averageOf(results)} that the paper printed.`}
        </figcaption>
      </figure>
    </>
  );
}

/** From where to where the axis of a metric goes: one for all links, with what the paper printed. */
function domainOf({ cells, published }: Results, metric: string): readonly [number, number] {
  return boxDomain(
    cells.flatMap((cell) => {
      const spread = cell.metrics[metric];
      const paper = publishedValue(published, cell, metric);
      return [...(spread ? [spread.min, spread.max] : []), ...(paper === null ? [] : [paper])];
    }),
  );
}

/** Cells as boxes: the variant is named, and its paper's value shown, at the first of its testbeds. */
export function rowsOf(
  { variants, testbeds, published }: Results,
  cells: readonly Cell[],
  metric: string,
  dotsOf: Props['dotsOf'],
): readonly BoxRow[] {
  return cells.map((cell, i) => {
    const first = cells.at(i - 1)?.variant !== cell.variant || i === 0;
    return {
      key: cellKey(cell),
      name: first ? titleIn(variants, cell.variant) : '',
      detail: hasLive(testbeds) ? testbedTitle(cell.testbed) : '',
      live: cell.testbed !== SIMULATED,
      spread: cell.metrics[metric] ?? null,
      without: cell.runs === 0 ? 'no valid run' : 'not measured',
      dots: dotsOf(cell, metric),
      paper: first ? publishedValue(published, cell, metric) : null,
    };
  });
}
