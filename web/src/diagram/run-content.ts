import type { Ns } from '../lib/brand';
import { decimalsOfInstants } from '../lib/format';
import { shiftView, type Viewport } from '../lib/viewport';
import type { Palette } from '../paint/palette';
import { Verdict } from '../series/types';
import { RunIndex } from '../series/run-index';
import type { Follower, SeriesSource } from '../series/source';
import type { Content, Drawing, Here, Pick, StepResult, Selected, Target } from './content';
import { instantOnAxis } from './cursor';
import { drawPick } from './draw/pick';
import { makeFrame, type Frame } from './frame';
import type { SequenceUnit } from './options';
import { HIDDEN_AT_FIRST, isPresent, type PartId } from './layers';
import { layOut, type Layout } from './layout';
import type { Extent, Look, TimeSequenceOptions } from './options';
import { pick, pickRow, pickTimeout } from './pick';
import { drawScene } from './scene';
import { nearestInstant, nextSegment, type Step } from './step';
import { dataInWords } from './words';

/** What a time-sequence diagram draws: one run, from the best data there are of what is on show. */
export class RunContent implements Content<Frame> {
  unit: SequenceUnit = 'octets';
  highlight: Extent | null;
  readonly #source: SeriesSource;
  readonly #alongside: readonly SeriesSource[];
  readonly #options: TimeSequenceOptions;
  readonly #follower: Follower;
  #hidden = new Set<PartId>(HIDDEN_AT_FIRST);
  readonly drawScene = drawScene;
  readonly drawPick = drawPick;
  readonly pick = pick;
  readonly update: (palette: Palette, ratio: number) => void;

  /** `changed` is called when better data have come, `update` when legend and buttons are to be brought up to date. */
  constructor(
    source: SeriesSource,
    options: TimeSequenceOptions,
    changed: () => void,
    update: (palette: Palette, ratio: number) => void,
  ) {
    this.#source = source;
    this.#options = options;
    this.#alongside = options.alongside ?? [];
    this.highlight = options.highlight ?? null;
    this.look = options.look ?? null;
    this.#follower = source.follow(changed);
    this.update = update;
  }

  end(): void {
    this.#follower.end();
  }

  /** Whether a part is there and not hidden. */
  readonly shows = (part: PartId): boolean =>
    !this.#hidden.has(part) &&
    isPresent(
      part,
      [this.#source, ...this.#alongside].map((one) => one.overview),
    );

  /** What is hidden and what the axis counts; set to `null`, as at first. */
  get look(): Look {
    return { hidden: [...this.#hidden].sort(), unit: this.unit };
  }

  set look(look: Look | null) {
    this.#hidden = new Set(look?.hidden ?? HIDDEN_AT_FIRST);
    this.unit = look?.unit ?? 'octets';
  }

  toggle(part: PartId): void {
    if (this.#hidden.has(part)) this.#hidden.delete(part);
    else this.#hidden.add(part);
  }

  layOut(width: number): Layout {
    return layOut(width, this.shows, this.#options.density ?? 'full');
  }

  frame({ view, ...drawing }: Drawing): Frame {
    const { origin = null } = this.#options;
    const inRun = shiftView(view, this.#zero());
    return makeFrame({
      ...drawing,
      view: inRun,
      index: this.#source.best(inRun),
      alongside: this.#alongside.map((source) => source.best(inRun)),
      unit: this.unit,
      shows: this.shows,
      origin,
      highlight: this.highlight,
    });
  }

  again(frame: Frame, picked: Pick): Pick {
    if (picked.index === frame.index || !picked.selected) return picked;
    return findIn(frame, frame.index, picked.selected) ?? picked;
  }

  find(frame: Frame, selected: Selected): Pick | null {
    return findIn(frame, frame.index, selected) ?? findIn(frame, this.#source.overview, selected);
  }

  step(frame: Frame, target: Target, step: Step, here: Here): StepResult<Frame> | null {
    if (target === 'segment') return this.#stepSegment(frame, step, here);
    // Of the window first: it has what the overview may have left out; of the overview: it goes on where that ends.
    const indexes = [frame.index, this.#source.overview];
    // With nothing to go on from: the first in view, or the last.
    const edge = step > 0 ? here.view.t0 : here.view.t1;
    const at = (here.pick?.t ?? here.cursor ?? edge) + this.#zero();
    if (target === 'timeout') {
      const found = nearestInstant(
        indexes.map(({ series }) => series.timeouts.t),
        at,
        step,
      );
      if (!found) return null;
      const { timeouts } = indexes[found.column].series;
      return this.#place(indexes[found.column], { kind: 'timeout', t: timeouts.t[found.row] as Ns });
    }
    const subsets = indexes.flatMap((index) =>
      SENT_AGAIN.map((verdict) => ({ index, of: index.byVerdict[verdict] })),
    );
    const found = nearestInstant(
      subsets.map(({ of }) => of.t),
      at,
      step,
    );
    if (!found) return null;
    const { index, of } = subsets[found.column];
    return this.#placeRow(index, of.rows[found.row]);
  }

  follow(view: Viewport, width: number): void {
    this.#follower.want(shiftView(view, this.#zero()), width);
  }

  note(frame: Frame): string {
    return dataInWords(frame.index, this.#source.overview, this.#follower.state);
  }

  instant(t: Ns, { t0, t1 }: Viewport): string {
    return instantOnAxis(t, decimalsOfInstants(t1 - t0), this.#zero() !== 0);
  }

  #zero(): Ns {
    return this.#options.origin?.t ?? (0 as Ns);
  }

  #stepSegment({ index }: Frame, step: Step, { view, pick: from }: Here): StepResult<Frame> | null {
    const { data } = index.series;
    const at = from?.selected?.kind === 'segment' ? index.rowOf(from.selected.t, from.selected.seq) : -1;
    const row = nextSegment(data.t, shiftView(view, this.#zero()), at, step);
    return row === null ? null : this.#placeRow(index, row);
  }

  #placeRow(index: RunIndex, row: number): StepResult<Frame> {
    const { data } = index.series;
    return this.#place(index, { kind: 'segment', t: data.t[row] as Ns, seq: data.seq[row] as never });
  }

  /** `index` has it, whatever the data of the frame will be. */
  #place(index: RunIndex, selected: Selected): StepResult<Frame> {
    return {
      t: (selected.t - this.#zero()) as Ns,
      pick: (frame) => {
        const found = findIn(frame, frame.index, selected) ?? findIn(frame, index, selected);
        if (!found) throw new Error('what was stepped to is not where it was found');
        return found;
      },
    };
  }
}

const SENT_AGAIN = [Verdict.Necessary, Verdict.Unnecessary, Verdict.Unknown];

function findIn(frame: Frame, index: RunIndex, selected: Selected): Pick | null {
  if (selected.kind === 'timeout') {
    const i = index.series.timeouts.t.indexOf(selected.t);
    return i < 0 ? null : pickTimeout(frame, i, index);
  }
  const row = index.rowOf(selected.t, selected.seq);
  return row < 0 ? null : pickRow(frame, row, index);
}
