import type { Box } from '../paint/surface';
import type { Target } from './content';
import type { Step } from './step';

/** What a hand can do to the diagram. All positions are CSS pixels from the stage's corner. */
export interface GestureTarget {
  /** What a drag that begins here does. */
  dragAt(x: number, y: number): 'box' | 'band' | 'pan';
  hover(x: number, y: number): void;
  leave(): void;
  tap(x: number, y: number): void;
  reset(): void;
  pan(dx: number, dy: number): void;
  /** Below one is closer. */
  zoom(factor: number, x: number, y: number): void;
  /** The rectangle being dragged; `null` when it is given up. */
  box(box: Box | null): void;
  zoomTo(box: Box, band: boolean): void;
  key(key: KeyCommand): void;
  /** The wheel turned over a diagram that has not been clicked yet. */
  wheelIgnored(): void;
}

export type KeyCommand =
  | { readonly name: 'pan'; readonly dx: number; readonly dy: number }
  | { readonly name: 'zoom'; readonly factor: number }
  | { readonly name: 'reset' | 'escape' }
  | { readonly name: 'step'; readonly target: Target; readonly step: Step };

/** The command of a key, if it has one. */
export function keyCommand(key: string, shift: boolean): KeyCommand | null {
  const share = shift ? 0.5 : 0.1;
  switch (key) {
    case 'ArrowLeft':
      return { name: 'pan', dx: -share, dy: 0 };
    case 'ArrowRight':
      return { name: 'pan', dx: share, dy: 0 };
    case 'ArrowUp':
      return { name: 'pan', dx: 0, dy: share };
    case 'ArrowDown':
      return { name: 'pan', dx: 0, dy: -share };
    case '+':
    case '=':
      return { name: 'zoom', factor: 0.7 };
    case '-':
    case '_':
      return { name: 'zoom', factor: 1 / 0.7 };
    case '0':
    case 'Home':
      return { name: 'reset' };
    case 'Escape':
      return { name: 'escape' };
    case 'n':
      return { name: 'step', target: 'segment', step: 1 };
    case 'p':
      return { name: 'step', target: 'segment', step: -1 };
    case 't':
      return { name: 'step', target: 'timeout', step: 1 };
    case 'T':
      return { name: 'step', target: 'timeout', step: -1 };
    case 'r':
      return { name: 'step', target: 'retransmission', step: 1 };
    case 'R':
      return { name: 'step', target: 'retransmission', step: -1 };
    default:
      return null;
  }
}

/** How far a pointer must go before it is a drag, CSS pixels. */
const DRAG_FROM = 4;

interface Held {
  readonly pointer: number;
  readonly mode: 'box' | 'band' | 'pan';
  readonly startX: number;
  readonly startY: number;
  x: number;
  y: number;
  moved: boolean;
}

/** Turns pointer, wheel and key events of a stage into gestures. */
export class Gestures {
  readonly #stage: HTMLElement;
  readonly #target: GestureTarget;
  readonly #abort = new AbortController();
  readonly #held = new Map<number, Held>();

  constructor(stage: HTMLElement, target: GestureTarget) {
    this.#stage = stage;
    this.#target = target;
    const { signal } = this.#abort;
    stage.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    stage.addEventListener('pointermove', (event) => this.#move(event), { signal });
    stage.addEventListener('pointerup', (event) => this.#up(event, true), { signal });
    stage.addEventListener('pointercancel', (event) => this.#up(event, false), { signal });
    stage.addEventListener('pointerleave', () => target.leave(), { signal });
    stage.addEventListener('dblclick', () => target.reset(), { signal });
    stage.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    stage.addEventListener('keydown', (event) => this.#keyDown(event), { signal });
  }

  /** Stops listening. */
  end(): void {
    this.#abort.abort();
  }

  #place(event: MouseEvent): readonly [number, number] {
    const box = this.#stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #down(event: PointerEvent): void {
    const [x, y] = this.#place(event);
    if (event.pointerType === 'mouse' && event.button > 1) return;
    const touch = event.pointerType === 'touch';
    const pans = touch || event.shiftKey || event.button === 1;
    const mode = pans ? 'pan' : this.#target.dragAt(x, y);
    if (event.button === 1) event.preventDefault();
    this.#stage.setPointerCapture(event.pointerId);
    this.#held.set(event.pointerId, {
      pointer: event.pointerId,
      mode,
      startX: x,
      startY: y,
      x,
      y,
      moved: false,
    });
  }

  #move(event: PointerEvent): void {
    const [x, y] = this.#place(event);
    const held = this.#held.get(event.pointerId);
    if (!held) {
      this.#target.hover(x, y);
      return;
    }
    if (!held.moved && Math.hypot(x - held.startX, y - held.startY) < DRAG_FROM) return;
    held.moved = true;
    const other = [...this.#held.values()].find((one) => one.pointer !== held.pointer);
    if (other) this.#pinch(held, other, x, y);
    else if (held.mode === 'pan') this.#target.pan(x - held.x, y - held.y);
    else this.#target.box(boxOf(held.startX, held.startY, x, y));
    held.x = x;
    held.y = y;
  }

  #pinch(held: Held, other: Held, x: number, y: number): void {
    const before = Math.hypot(held.x - other.x, held.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    if (before > 10 && after > 10) this.#target.zoom(before / after, (x + other.x) / 2, (y + other.y) / 2);
    this.#target.pan((x - held.x) / 2, (y - held.y) / 2);
    other.moved = true;
  }

  #up(event: PointerEvent, counts: boolean): void {
    const held = this.#held.get(event.pointerId);
    if (!held) return;
    this.#held.delete(event.pointerId);
    const [x, y] = this.#place(event);
    if (!held.moved) {
      if (counts) this.#target.tap(x, y);
      return;
    }
    if (held.mode === 'pan') return;
    this.#target.box(null);
    if (counts) this.#target.zoomTo(boxOf(held.startX, held.startY, x, y), held.mode === 'band');
  }

  #wheel(event: WheelEvent): void {
    const [x, y] = this.#place(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const meant = event.ctrlKey || event.metaKey || document.activeElement === this.#stage;
    if (!meant) {
      if (!sideways) this.#target.wheelIgnored();
      return;
    }
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (sideways || event.shiftKey) {
      this.#target.pan(-(sideways ? event.deltaX : event.deltaY) * unit, 0);
    } else {
      this.#target.zoom(Math.exp(Math.max(-0.6, Math.min(0.6, event.deltaY * unit * 0.0022))), x, y);
    }
  }

  #keyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const command = keyCommand(event.key, event.shiftKey);
    if (!command) return;
    event.preventDefault();
    this.#target.key(command);
  }
}

function boxOf(x0: number, y0: number, x1: number, y1: number): Box {
  return { x: Math.min(x0, x1), y: Math.min(y0, y1), w: Math.abs(x1 - x0), h: Math.abs(y1 - y0) };
}
