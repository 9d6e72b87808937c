import type { Ns, Octets } from '../../lib/brand';
import { decimalsOfInstants } from '../../lib/format';
import { shiftView, type Viewport } from '../../lib/viewport';
import { Coords } from '../../paint/coords';
import type { Palette } from '../../paint/palette';
import type { Follower } from '../../series/source';
import type { Content, Drawing, Pick } from '../content';
import { instantOnAxis } from '../cursor';
import { layOut, type Density, type Layout } from '../layout';
import { dataInWords } from '../words';
import { drawOverlayScene } from './draw';
import { makeOverlayFrame, STRIP_HEIGHT, type OverlayFrame, type Trace } from './frame';
import { pickInOverlay } from './pick';
import { stepInOverlay } from './step';

/** What an overlay draws: several runs, each from the best data there are. */
export class OverlayContent implements Content<OverlayFrame> {
  readonly #traces: readonly Trace[];
  readonly #originLabel: string | null;
  readonly #density: Density;
  readonly #followers: readonly Follower[];
  readonly #hidden = new Set<number>();
  readonly pick = pickInOverlay;
  readonly step = stepInOverlay;
  readonly update: (palette: Palette, ratio: number) => void;
  readonly #coords = new Coords();

  constructor(
    traces: readonly Trace[],
    parts: { readonly originLabel: string | null; readonly density: Density },
    changed: () => void,
    update: (palette: Palette, ratio: number) => void,
  ) {
    this.#traces = traces;
    this.#originLabel = parts.originLabel;
    this.#density = parts.density;
    this.#followers = traces.map(({ source }) => source.follow(changed));
    this.update = update;
  }

  end(): void {
    for (const follower of this.#followers) follower.end();
  }

  shows(place: number): boolean {
    return !this.#hidden.has(place);
  }

  toggle(place: number): void {
    if (this.#hidden.has(place)) this.#hidden.delete(place);
    else this.#hidden.add(place);
  }

  layOut(width: number): Layout {
    return layOut(width, () => false, this.#density, 4 + STRIP_HEIGHT * this.#shown().length);
  }

  frame(drawing: Drawing): OverlayFrame {
    return makeOverlayFrame(drawing, this.#traces, this.#shown());
  }

  drawScene(frame: OverlayFrame): void {
    drawOverlayScene(frame, this.#originLabel);
  }

  drawPick({ surface, layout, palette, x, y }: OverlayFrame, { t, height, row }: Pick): void {
    if (row < 0 || 'px' in height) return;
    surface.clip({ ...layout.plot, x: layout.plot.x - 8, w: layout.plot.w + 16 }, () => {
      this.#coords.clear().push2(x.toPx(t), y.toPx(height.octet as Octets));
      surface.circles(this.#coords, 7.5, null, { color: palette.text, width: 1.8 });
    });
  }

  again(_frame: OverlayFrame, picked: Pick): Pick {
    return picked;
  }

  find(): null {
    return null;
  }

  follow(view: Viewport, width: number): void {
    for (const [place, follower] of this.#followers.entries()) {
      if (this.shows(place)) follower.want(shiftView(view, this.#traces[place].origin), width);
    }
  }

  note({ traces }: OverlayFrame): string {
    // The coarsest of them is what there is to know.
    const words = traces.map(({ index, label, place }) => {
      const said = dataInWords(index, this.#traces[place].source.overview, this.#followers[place].state);
      return { exact: index.exact, text: said === '' ? '' : `${label}: ${said}` };
    });
    return words.find(({ exact }) => !exact)?.text ?? words.find(({ text }) => text !== '')?.text ?? '';
  }

  instant(t: Ns, { t0, t1 }: Viewport): string {
    const signed = this.#traces.some(({ origin }) => origin !== 0);
    return instantOnAxis(t, decimalsOfInstants(t1 - t0), signed);
  }

  #shown(): readonly number[] {
    return this.#traces.map((_, place) => place).filter((place) => this.shows(place));
  }
}
