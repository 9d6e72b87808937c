import type { Ns } from '../lib/brand';
import { clampView, fullView, isFull, panBy, type Bounds, type Viewport } from '../lib/viewport';
import { DARK, LIGHT, type Palette } from '../paint/palette';
import { estimatedTextWidth, type Box } from '../paint/surface';
import { explanationText } from '../series/explain';
import type { ChartFrame, Content, Drawing, Here, Pick, Selected, Target } from './content';
import { drawBox, drawCursor } from './cursor';
import { whenPrinting } from './dom';
import type { Figure } from './export';
import { timeScale } from './frame';
import { Gestures, type GestureTarget, type KeyCommand } from './gestures';
import { inside, type Layout } from './layout';
import { boxed, dragged, timeAt, zoomedAt, zoomedMiddle, type Standing } from './motion';
import type { ChartOptions, Theme } from './options';
import { markFirstPaint } from './paint-mark';
import { Stage, type StageParts } from './stage';
import type { Step } from './step';

/**
 * A drawing over time in an element of the page: its view, its canvases, and what hands and keys do to them. What is
 * drawn is its content's business. It draws when something changed, at most once a frame, and never waits for data.
 * Framework-free. Call `destroy` when the element goes.
 */
export abstract class Chart<F extends ChartFrame> implements GestureTarget {
  readonly #content: Content<F>;
  readonly #options: ChartOptions;
  readonly #bounds: Bounds;
  readonly #stage: Stage;
  readonly #gestures: Gestures;
  readonly #resize: ResizeObserver;
  readonly #abort = new AbortController();

  #theme: Theme;
  #view: Viewport;
  #layout: Layout | null = null;
  #frame: F | null = null;
  #pick: Pick | null = null;
  /** What stays picked when the pointer goes; sought again when other data come. */
  #selected: Selected | null;
  #pinned = false;
  #pointer: { readonly x: number; readonly y: number } | null = null;
  #cursor: Ns | null = null;
  #box: Box | null = null;
  #band = false;
  #aboveEmpty = true;
  #due = 0;
  #sceneDue = true;
  #printing = false;

  constructor(
    container: HTMLElement,
    content: Content<F>,
    bounds: Bounds,
    parts: StageParts,
    options: ChartOptions,
  ) {
    this.#content = content;
    this.#options = options;
    this.#theme = options.theme;
    this.#bounds = bounds;
    this.#view = clampView(options.view ?? fullView(bounds), bounds);
    this.#selected = options.selected ?? null;
    this.#stage = new Stage(container, parts);
    this.#gestures = new Gestures(this.#stage.element, this);
    this.#resize = new ResizeObserver(() => {
      // An observer tells of the first size as well, which has been drawn by then.
      const { element, ratio } = this.#stage;
      if (element.clientWidth !== this.#layout?.width || ratio !== this.#ratio()) this.relayout();
    });
    this.#resize.observe(this.#stage.element);
    whenPrinting(this.#abort.signal, (on) => {
      this.#printing = on;
      this.relayout();
    });
    this.relayout();
  }

  /** The present view as a figure. */
  abstract figure(): Figure;

  /** Takes the chart out of the page. */
  destroy(): void {
    this.#content.end();
    this.#abort.abort();
    this.#gestures.end();
    this.#resize.disconnect();
    cancelAnimationFrame(this.#due);
    this.#stage.remove();
  }

  get view(): Viewport {
    return this.#view;
  }

  get layout(): Layout {
    this.#layout ??= this.#content.layOut(600);
    return this.#layout;
  }

  /** Measures a text as the canvas does. */
  readonly measure = (text: string, size: number): number =>
    this.#frame?.surface.textWidth(text, size) ?? estimatedTextWidth(text, size);

  /** Shows another part; `null` is all. Does not call `onView`. */
  setView(view: Viewport | null): void {
    this.#goTo(clampView(view ?? fullView(this.#bounds), this.#bounds));
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.#content.update(this.#palette(), this.#ratio());
    this.#request(true);
  }

  /** Shows the time that the pointer is at in a linked chart. */
  setCursor(t: Ns | null): void {
    this.#cursor = t;
    this.#request(false);
  }

  /** Pins what someone chose, as soon as the data have it. Does not call `onSelect`. */
  select(selected: Selected | null): void {
    this.#selected = selected;
    this.#pinned = false;
    this.#show(null);
    this.#request(true);
  }

  /** Draws anew, with the data that there are now. */
  refresh(): void {
    this.#request(true);
  }

  /** Lays out anew: the width changed, or what is shown. */
  relayout(): void {
    const width = this.#stage.element.clientWidth;
    if (width < 50) return;
    this.#layout = this.#content.layOut(width);
    this.#stage.fit(this.#layout, this.#ratio());
    this.#aboveEmpty = true;
    this.#content.update(this.#palette(), this.#ratio());
    this.#draw(true);
  }

  zoomMiddle(factor: number): void {
    this.#move(zoomedMiddle(this.#view, this.#bounds, factor));
  }

  // What hands do.

  reset(): void {
    this.#move(fullView(this.#bounds));
  }

  dragAt(x: number, y: number): 'box' | 'band' | 'pan' {
    const { plot, axis } = this.layout;
    if (inside(plot, x, y)) return 'box';
    return y > axis.y || x < plot.x ? 'pan' : 'band';
  }

  hover(x: number, y: number): void {
    const { plot } = this.layout;
    const t = x >= plot.x && x <= plot.x + plot.w ? timeAt(this.#view, plot, x) : null;
    this.#pointer = { x, y };
    this.#cursor = t;
    this.#options.onCursor?.(t);
    this.#request(false);
  }

  leave(): void {
    this.#pointer = null;
    this.#cursor = null;
    this.#options.onCursor?.(null);
    if (!this.#pinned) this.#show(null);
    this.#request(false);
  }

  tap(x: number, y: number): void {
    this.#stage.element.focus({ preventScroll: true });
    const found = this.#frame ? this.#content.pick(this.#frame, x, y) : null;
    // A second tap on the same thing lets it go.
    const again =
      this.#pinned &&
      found !== null &&
      found.row >= 0 &&
      found.row === this.#pick?.row &&
      found.index === this.#pick.index;
    if (found === null || again) this.#release();
    else this.#pin(found);
  }

  pan(dx: number, dy: number): void {
    const from = this.#standing();
    if (from) this.#move(dragged(from, dx, dy));
  }

  zoom(factor: number, x: number, y: number): void {
    const from = this.#standing();
    if (from) this.#move(zoomedAt(from, factor, x, y));
  }

  box(box: Box | null): void {
    this.#box = box;
    this.#band = box !== null && this.#isBand(box);
    if (!this.#pinned) this.#show(null);
    this.#request(false);
  }

  zoomTo(box: Box, band: boolean): void {
    const from = this.#standing();
    if (from && box.w >= 5) this.#move(boxed(from, box, band || this.#isBand(box)));
  }

  key(command: KeyCommand): void {
    const view = this.#view;
    switch (command.name) {
      case 'pan': {
        const octets = view.y === null ? 0 : (view.y.hi - view.y.lo) * command.dy;
        this.#move(panBy(view, this.#bounds, (view.t1 - view.t0) * command.dx, octets));
        break;
      }
      case 'zoom':
        this.zoomMiddle(command.factor);
        break;
      case 'reset':
        this.reset();
        break;
      case 'escape':
        this.#release();
        break;
      case 'step':
        this.#stepTo(command.target, command.step);
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

  #ratio(): number {
    return this.#printing ? 3 : window.devicePixelRatio || 1;
  }

  #standing(): Standing | null {
    const y = this.#frame?.y;
    return y ? { view: this.#view, bounds: this.#bounds, plot: this.layout.plot, y } : null;
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
    const { layout } = this;
    const parts = { layout, palette: this.#palette(), view: this.#view };
    this.#sceneDue = false;
    if (scene) {
      this.#content.follow(this.#view, layout.plot.w);
      const surface = this.#stage.scene(layout);
      if (!surface) return;
      this.#frame = this.#content.frame({ ...parts, surface });
      this.#content.drawScene(this.#frame);
      this.#stage.note(this.#content.note(this.#frame));
      this.#pickAgain(this.#frame);
      markFirstPaint();
    }
    this.#drawAbove(parts);
  }

  /** What changes with every move of the pointer, on a canvas of its own. */
  #drawAbove(parts: Omit<Drawing, 'surface'>): void {
    const frame = this.#frame;
    if (!frame) return;
    if (this.#pointer && !this.#pinned && !this.#box) {
      this.#show(this.#content.pick(frame, this.#pointer.x, this.#pointer.y));
    }
    this.#placeTooltip(frame);
    const empty = this.#cursor === null && !this.#pick && !this.#box;
    // A canvas that is touched is copied, however little is on it.
    if (empty && this.#aboveEmpty) return;
    this.#aboveEmpty = empty;
    const { layout, palette, view } = parts;
    const surface = this.#stage.overlay(layout);
    if (!surface) return;
    if (this.#cursor !== null) {
      const x = this.#x(view, this.#cursor);
      drawCursor(surface, layout, palette, x, this.#content.instant(this.#cursor, view));
    }
    if (this.#pick) this.#content.drawPick(this.#content.frame({ ...parts, surface }), this.#pick);
    if (this.#box) drawBox(surface, layout, palette, this.#box, this.#band);
  }

  #x(view: Viewport, t: Ns): number {
    return timeScale(view, this.layout).toPx(t);
  }

  #isBand(box: Box): boolean {
    return box.h < 12 || !inside(this.layout.plot, box.x + box.w / 2, box.y);
  }

  #move(view: Viewport): void {
    this.#goTo(view);
    this.#options.onView?.(isFull(view, this.#bounds) ? null : view);
  }

  #goTo(view: Viewport): void {
    this.#view = view;
    // What is under a pointer that stands still while all else moves is of no interest.
    this.#pointer = null;
    if (this.#cursor !== null) {
      this.#cursor = null;
      this.#options.onCursor?.(null);
    }
    if (!this.#pinned) this.#show(null);
    this.#request(true);
  }

  #show(found: Pick | null): void {
    this.#pick = found;
    if (!found) this.#stage.tooltip.hide();
  }

  /** Finds what is pinned in the data that are drawn now. */
  #pickAgain(frame: F): void {
    if (this.#pinned && this.#pick) {
      this.#pick = this.#content.again(frame, this.#pick);
    } else if (this.#selected) {
      const found = this.#content.find(frame, this.#selected);
      this.#pinned = found !== null;
      if (found) this.#show(found);
    }
  }

  #placeTooltip(frame: F): void {
    const pick = this.#pick;
    if (!pick) return;
    const { layout } = this;
    const x = this.#x(this.#view, pick.t);
    const y = 'px' in pick.height ? pick.height.px : frame.y.toPx(pick.height.octet);
    const seen =
      x >= layout.plot.x - 1 && x <= layout.plot.x + layout.plot.w + 1 && y >= 0 && y <= layout.height;
    if (seen) this.#stage.tooltip.show(pick.explanation, x, y, layout);
    else this.#stage.tooltip.hide();
  }

  #pin(found: Pick): void {
    this.#pinned = true;
    this.#selected = found.selected;
    this.#show(found);
    this.#stage.say(explanationText(found.explanation));
    this.#options.onSelect?.(found.selected);
    this.#request(false);
  }

  #release(): void {
    const had = this.#selected !== null;
    this.#pinned = false;
    this.#selected = null;
    this.#show(null);
    if (had) this.#options.onSelect?.(null);
    this.#request(false);
  }

  #stepTo(target: Target, step: Step): void {
    if (!this.#frame) return;
    const { t0, t1 } = this.#view;
    const pick = this.#pinned && this.#pick && this.#pick.t >= t0 && this.#pick.t <= t1 ? this.#pick : null;
    const here: Here = { view: this.#view, pick, cursor: this.#cursor };
    const place = this.#content.step(this.#frame, target, step, here);
    if (!place) {
      this.#stage.say(`There is no further ${target}.`);
      return;
    }
    // Drawn at once, so that the data of the new view are known.
    if (place.t < t0 || place.t > t1) {
      this.#pinned = false;
      this.#move(panBy(this.#view, this.#bounds, place.t - (t0 + t1) / 2));
      this.#draw(true);
    }
    this.#cursor = place.t;
    this.#pin(place.pick(this.#frame));
  }
}
