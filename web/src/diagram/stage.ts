import { CanvasSurface } from '../paint/canvas-surface';
import { make } from './dom';
import type { Layout } from './layout';
import { Tooltip } from './tooltip';
import { HELP } from './words';

/** How long the hint about the wheel stays, ms. */
const HINT_MS = 1400;

/** What a stage is made of. */
export interface StageParts {
  /** What the diagram is and which keys it knows, for those who do not see it. */
  readonly label: string;
  /** What kind of a drawing it is. */
  readonly kind: string;
  readonly legend: HTMLElement;
  readonly buttons: HTMLElement;
  /** Whether to say below which hands and keys do what. */
  readonly help: boolean;
}

/** A diagram's elements: two canvases on each other, the tooltip, a hint, and the words that are spoken. */
export class Stage {
  /** Takes the focus and the gestures. */
  readonly element = make('div', 'ts-stage');
  readonly tooltip = new Tooltip();
  readonly #root = make('div', 'ts');
  readonly #scene = make('canvas', 'ts-canvas');
  readonly #overlay = make('canvas', 'ts-canvas ts-overlay');
  readonly #hint = make('div', 'ts-hint');
  readonly #note = make('div', 'ts-note');
  readonly #spoken = make('div', 'ts-spoken');
  #ratio = 1;
  #hintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(container: HTMLElement, parts: StageParts) {
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'application');
    this.element.setAttribute('aria-roledescription', parts.kind);
    this.element.setAttribute('aria-label', parts.label);
    this.#hint.textContent = 'Click the diagram, or hold Ctrl, to zoom with the wheel';
    this.#hint.hidden = true;
    this.#spoken.setAttribute('aria-live', 'polite');
    this.element.append(this.#scene, this.#overlay, this.tooltip.element, this.#hint);
    const bar = make('div', 'ts-bar', parts.legend, parts.buttons);
    this.#note.hidden = true;
    this.#root.append(bar, this.element, this.#note, this.#spoken);
    if (parts.help) this.#note.after(make('div', 'ts-help', HELP));
    container.append(this.#root);
  }

  /** Takes the elements out of the page. */
  remove(): void {
    clearTimeout(this.#hintTimer);
    this.#root.remove();
  }

  /** Makes the canvases as large as the layout, at `ratio` device pixels to a CSS pixel. */
  fit(layout: Layout, ratio: number): void {
    this.#ratio = ratio;
    for (const canvas of [this.#scene, this.#overlay]) {
      canvas.width = Math.round(layout.width * ratio);
      canvas.height = Math.round(layout.height * ratio);
      canvas.style.aspectRatio = `${layout.width} / ${layout.height}`;
    }
    this.element.style.height = `${layout.height}px`;
  }

  /** Device pixels to a CSS pixel, as the canvases have them. */
  get ratio(): number {
    return this.#ratio;
  }

  /** The cleared canvas of the run; `null` if the browser gives none. */
  scene(layout: Layout): CanvasSurface | null {
    return this.#clear(this.#scene, layout);
  }

  /** The cleared canvas of cursor and selection, on top. */
  overlay(layout: Layout): CanvasSurface | null {
    return this.#clear(this.#overlay, layout);
  }

  /** Says below the drawing what there is to know of its data. Once it has said something its line stays. */
  note(text: string): void {
    if (text === this.#note.textContent) return;
    this.#note.textContent = text;
    this.#note.hidden = false;
  }

  /** Says something to those who listen. */
  say(text: string): void {
    this.#spoken.textContent = text;
  }

  /** Tells for a moment how to zoom with the wheel. */
  hint(): void {
    this.#hint.hidden = false;
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => {
      this.#hint.hidden = true;
    }, HINT_MS);
  }

  #clear(canvas: HTMLCanvasElement, layout: Layout): CanvasSurface | null {
    const context = canvas.getContext('2d');
    if (!context) return null;
    const surface = new CanvasSurface(context, this.#ratio);
    context.clearRect(0, 0, layout.width, layout.height);
    return surface;
  }
}
