import { px, type CssPx, type Ns, type Octets } from '../lib/brand';
import {
  boundsOf,
  clampView,
  fullView,
  isFull,
  panBy,
  zoomAbout,
  type Bounds,
  type Viewport,
} from '../lib/viewport';
import { DARK, LIGHT, type Palette } from '../paint/palette';
import { estimatedTextWidth, type Box } from '../paint/surface';
import { explanationText } from '../series/explain';
import type { RunIndex } from '../series/run-index';
import { Controls } from './controls';
import { whenPrinting } from './dom';
import { figureSvg, savePng, saveSvg, type Figure } from './export';
import { makeFrame, type Frame, type SequenceUnit } from './frame';
import { Gestures, type GestureTarget, type KeyCommand } from './gestures';
import { HIDDEN_AT_FIRST, isPresent, type PartId } from './layers';
import { inside, layOut, type Layout } from './layout';
import type { Theme, TimeSequenceOptions } from './options';
import { drawOverlay } from './overlay';
import { pick, pickRow, pickTimeout, type Pick } from './pick';
import { drawScene } from './scene';
import { Stage } from './stage';
import { nextInstant, nextSegment } from './step';
import { KEYS, runInWords } from './words';
import './diagram.css';

/**
 * The time-sequence diagram of one run in an element of the page: sequence numbers over time as tcptrace draws them,
 * with lanes for link, queue, window and timer on the same axis. Framework-free; everything it needs comes through the
 * constructor and its few setters. Call `destroy` when the element goes.
 */
export class TimeSequence implements GestureTarget {
  readonly #index: RunIndex;
  /** This run and those beside it: they share axes, lanes and legend. */
  readonly #runs: readonly RunIndex[];
  readonly #options: TimeSequenceOptions;
  readonly #bounds: Bounds;
  readonly #stage: Stage;
  readonly #controls: Controls;
  readonly #gestures: Gestures;
  readonly #resize: ResizeObserver;
  readonly #abort = new AbortController();
  readonly #hidden = new Set<PartId>(HIDDEN_AT_FIRST);

  #theme: Theme;
  #view: Viewport;
  #unit: SequenceUnit = 'octets';
  #layout: Layout | null = null;
  #frame: Frame | null = null;
  #ratio = 1;
  #pick: Pick | null = null;
  #pinned = false;
  #cursor: Ns | null = null;
  #box: Box | null = null;
  #band = false;
  #due = 0;
  #sceneDue = true;
  #printing = false;

  constructor(container: HTMLElement, run: RunIndex, options: TimeSequenceOptions) {
    this.#index = run;
    this.#runs = [run, ...(options.alongside ?? [])];
    this.#options = options;
    this.#theme = options.theme;
    this.#bounds = boundsOf(Math.max(run.series.duration, options.end ?? 0) as Ns);
    this.#view = clampView(options.view ?? fullView(this.#bounds), this.#bounds);
    this.#controls = new Controls(this.#runs, {
      toggle: (part) => {
        this.#toggle(part);
      },
      zoom: (factor) => {
        this.#zoomMiddle(factor);
      },
      reset: () => {
        this.reset();
      },
      toggleUnit: () => {
        this.#toggleUnit();
      },
      saveSvg: () => {
        saveSvg(this.#figure());
      },
      savePng: () => {
        savePng(this.#figure());
      },
    });
    this.#stage = new Stage(container, {
      label: `${options.title}. ${runInWords(run)}. ${KEYS}`,
      legend: this.#controls.legend,
      buttons: this.#controls.buttons,
      help: options.density !== 'compact',
    });
    this.#gestures = new Gestures(this.#stage.element, this);
    this.#resize = new ResizeObserver(() => {
      this.#relayout();
    });
    this.#resize.observe(this.#stage.element);
    whenPrinting(this.#abort.signal, (on) => {
      this.#print(on);
    });
    this.#relayout();
  }

  /** Takes the diagram out of the page. */
  destroy(): void {
    this.#abort.abort();
    this.#gestures.end();
    this.#resize.disconnect();
    cancelAnimationFrame(this.#due);
    this.#stage.remove();
  }

  /** Shows another part of the run; `null` is the whole run. Does not call `onView`. */
  setView(view: Viewport | null): void {
    this.#view = clampView(view ?? fullView(this.#bounds), this.#bounds);
    this.#forgetPick();
    this.#request(true);
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#controls.paint(this.#palette(), this.#ratio);
    this.#request(true);
  }

  /** Shows the time that the pointer is at in a linked diagram. */
  setCursor(t: Ns | null): void {
    this.#cursor = t;
    this.#request(false);
  }

  /** The present view as an SVG document, dark on white. */
  toSvg(): string {
    return figureSvg(this.#figure());
  }

  // What hands do.

  dragAt(x: number, y: number): 'box' | 'band' | 'pan' {
    const layout = this.#need();
    if (inside(layout.plot, x, y)) return 'box';
    return y > layout.axis.y || x < layout.plot.x ? 'pan' : 'band';
  }

  hover(x: number, y: number): void {
    const layout = this.#need();
    const t = x >= layout.plot.x && x <= layout.plot.x + layout.plot.w ? this.#time(x) : null;
    this.#cursor = t;
    this.#options.onCursor?.(t);
    if (!this.#pinned) this.#show(this.#frame ? pick(this.#frame, x, y) : null);
    this.#request(false);
  }

  leave(): void {
    this.#cursor = null;
    this.#options.onCursor?.(null);
    if (!this.#pinned) this.#show(null);
    this.#request(false);
  }

  tap(x: number, y: number): void {
    this.#stage.element.focus({ preventScroll: true });
    const found = this.#frame ? pick(this.#frame, x, y) : null;
    // A second click on the same thing lets it go.
    const again = this.#pinned && found !== null && found.row >= 0 && found.row === this.#pick?.row;
    this.#pinned = found !== null && !again;
    this.#show(found);
    if (found) this.#stage.say(explanationText(found.explanation));
    this.#request(false);
  }

  reset(): void {
    this.#move(fullView(this.#bounds));
  }

  pan(dx: number, dy: number): void {
    const frame = this.#frame;
    if (frame) this.#move(panBy(this.#view, this.#bounds, -dx / frame.x.slope, -dy / frame.y.slope));
  }

  zoom(factor: number, x: number, y: number): void {
    const frame = this.#frame;
    const layout = this.#need();
    if (!frame) return;
    if (x < layout.plot.x && y < layout.plot.y + layout.plot.h) {
      this.#move({ ...this.#view, y: this.#zoomedSequence(frame, factor, y) });
      return;
    }
    this.#move(zoomAbout(this.#view, this.#bounds, factor, this.#time(x), frame.y.fromPx(px(y))));
  }

  box(box: Box | null): void {
    this.#box = box;
    this.#band = box !== null && this.#isBand(box);
    this.#show(null);
    this.#request(false);
  }

  zoomTo(box: Box, band: boolean): void {
    const frame = this.#frame;
    if (!frame || box.w < 5) return;
    const [t0, t1] = [this.#time(box.x), this.#time(box.x + box.w)];
    const y =
      band || this.#isBand(box)
        ? this.#view.y
        : { lo: frame.y.fromPx(px(box.y + box.h)), hi: frame.y.fromPx(px(box.y)) };
    this.#move(clampView({ t0, t1, y }, this.#bounds));
  }

  key(command: KeyCommand): void {
    const { view, bounds } = { view: this.#view, bounds: this.#bounds };
    switch (command.name) {
      case 'pan': {
        const sequence = view.y === null ? 0 : (view.y.hi - view.y.lo) * command.dy;
        this.#move(panBy(view, bounds, (view.t1 - view.t0) * command.dx, sequence));
        break;
      }
      case 'zoom':
        this.#zoomMiddle(command.factor);
        break;
      case 'reset':
        this.reset();
        break;
      case 'escape':
        this.#forgetPick();
        this.#request(false);
        break;
      case 'segment':
        this.#stepSegment(command.step);
        break;
      case 'timeout':
        this.#stepTimeout(command.step);
        break;
    }
  }

  wheelIgnored(): void {
    this.#stage.hint();
  }

  // Inside.

  #palette(): Palette {
    return this.#theme === 'dark' && !this.#printing ? DARK : LIGHT;
  }

  readonly #shows = (part: PartId): boolean => !this.#hidden.has(part) && isPresent(part, this.#runs);

  #need(): Layout {
    this.#layout ??= layOut(600, this.#shows, this.#options.density ?? 'full');
    return this.#layout;
  }

  #relayout(): void {
    const width = this.#stage.element.clientWidth;
    if (width < 50) return;
    this.#layout = layOut(width, this.#shows, this.#options.density ?? 'full');
    this.#ratio = this.#printing ? 3 : window.devicePixelRatio || 1;
    this.#stage.fit(this.#layout, this.#ratio);
    this.#controls.update(this.#shows, this.#unit === 'segments');
    this.#controls.paint(this.#palette(), this.#ratio);
    this.#draw(true);
  }

  #request(scene: boolean): void {
    this.#sceneDue ||= scene;
    if (this.#due !== 0) return;
    this.#due = requestAnimationFrame(() => {
      this.#due = 0;
      this.#draw(this.#sceneDue);
    });
  }

  #draw(scene: boolean): void {
    const layout = this.#need();
    this.#sceneDue = false;
    const parts = {
      index: this.#index,
      layout,
      palette: this.#palette(),
      view: this.#view,
      unit: this.#unit,
      alongside: this.#options.alongside ?? [],
      shows: this.#shows,
    };
    if (scene) {
      const surface = this.#stage.scene(layout);
      if (surface) drawScene(makeFrame({ ...parts, surface }));
    }
    const surface = this.#stage.overlay(layout);
    if (!surface) return;
    this.#frame = makeFrame({ ...parts, surface });
    drawOverlay(this.#frame, { cursor: this.#cursor, pick: this.#pick, box: this.#box, band: this.#band });
  }

  #time(x: number): Ns {
    const { plot } = this.#need();
    const { t0, t1 } = this.#view;
    return (t0 + ((x - plot.x) / plot.w) * (t1 - t0)) as Ns;
  }

  #isBand(box: Box): boolean {
    return box.h < 12 || !inside(this.#need().plot, box.x + box.w / 2, box.y);
  }

  #move(view: Viewport): void {
    this.#view = view;
    this.#forgetPick();
    this.#request(true);
    this.#options.onView?.(isFull(view, this.#bounds) ? null : view);
  }

  #zoomMiddle(factor: number): void {
    const { t0, t1, y } = this.#view;
    const middle = y === null ? null : (((y.lo + y.hi) / 2) as Octets);
    this.#move(zoomAbout(this.#view, this.#bounds, factor, ((t0 + t1) / 2) as Ns, middle));
  }

  #zoomedSequence(frame: Frame, factor: number, y: number): { lo: Octets; hi: Octets } {
    const { lo, hi } = this.#view.y ?? { lo: frame.y.d0, hi: frame.y.d1 };
    const about = frame.y.fromPx(y as CssPx);
    return { lo: (about - (about - lo) * factor) as Octets, hi: (about + (hi - about) * factor) as Octets };
  }

  #show(found: Pick | null): void {
    this.#pick = found;
    const layout = this.#need();
    if (found) this.#stage.tooltip.show(found.explanation, found.x, found.y, layout);
    else this.#stage.tooltip.hide();
  }

  #forgetPick(): void {
    this.#pinned = false;
    this.#show(null);
  }

  #stepSegment(step: 1 | -1): void {
    const { data } = this.#index.series;
    const row = nextSegment(data.t, this.#view, this.#pick?.row ?? -1, step);
    if (row === null) return;
    this.#reveal(data.t[row]);
    if (this.#frame) this.#pin(pickRow(this.#frame, row));
  }

  #stepTimeout(step: 1 | -1): void {
    const { timeouts } = this.#index.series;
    const { t0, t1 } = this.#view;
    const i = nextInstant(timeouts.t, this.#cursor ?? (t0 + t1) / 2, step);
    if (i === null) return;
    this.#reveal(timeouts.t[i]);
    if (this.#frame) this.#pin(pickTimeout(this.#frame, i));
    this.#cursor = timeouts.t[i] as Ns;
  }

  /** Moves the view, if need be, so that an instant is on show; draws at once, so that places are known. */
  #reveal(t: number): void {
    const { t0, t1 } = this.#view;
    if (t < t0 || t > t1) this.#move(panBy(this.#view, this.#bounds, t - (t0 + t1) / 2));
    this.#draw(true);
  }

  #pin(found: Pick): void {
    this.#pinned = true;
    this.#show(found);
    this.#stage.say(explanationText(found.explanation));
    this.#request(false);
  }

  #toggle(part: PartId): void {
    if (this.#hidden.has(part)) this.#hidden.delete(part);
    else this.#hidden.add(part);
    this.#forgetPick();
    this.#relayout();
  }

  #toggleUnit(): void {
    this.#unit = this.#unit === 'octets' ? 'segments' : 'octets';
    this.#relayout();
  }

  #print(on: boolean): void {
    this.#printing = on;
    this.#forgetPick();
    this.#relayout();
  }

  #figure(): Figure {
    return {
      index: this.#index,
      layout: this.#need(),
      view: this.#view,
      unit: this.#unit,
      alongside: this.#options.alongside ?? [],
      shows: this.#shows,
      measure: (text, size) => this.#frame?.surface.textWidth(text, size) ?? estimatedTextWidth(text, size),
      title: this.#options.title,
      provenance: this.#options.provenance,
    };
  }
}
