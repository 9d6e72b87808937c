import type { Explanation } from '../series/explain';
import { make } from './dom';

/** The little card beside the pointer. Never in the way of the pointer. */
export class Tooltip {
  readonly element = make('div', 'ts-tip');
  #shown: Explanation | null = null;
  /** Measured once for each content: asking for it makes the browser lay out the page. */
  #size = { w: 0, h: 0 };

  constructor() {
    this.element.setAttribute('role', 'tooltip');
    this.element.hidden = true;
  }

  hide(): void {
    this.element.hidden = true;
    this.#shown = null;
  }

  /** Shows an explanation beside a point of a stage of this size, on the side where there is room. */
  show(explanation: Explanation, x: number, y: number, stage: { width: number; height: number }): void {
    this.element.hidden = false;
    if (this.#shown !== explanation) {
      this.#shown = explanation;
      this.element.replaceChildren(...content(explanation));
      this.element.dataset['tone'] = explanation.tone;
      this.#size = { w: this.element.offsetWidth, h: this.element.offsetHeight };
    }
    const { w, h } = this.#size;
    const gap = 14;
    const left = x + gap + w <= stage.width ? x + gap : x - gap - w;
    const top = y + gap + h <= stage.height ? y + gap : y - gap - h;
    const x1 = Math.round(Math.max(4, Math.min(stage.width - w - 4, left)));
    this.element.style.transform = `translate(${x1}px, ${Math.round(Math.max(4, top))}px)`;
  }
}

function content(explanation: Explanation): HTMLElement[] {
  const parts: HTMLElement[] = [make('div', 'ts-tip-title', explanation.title)];
  if (explanation.note !== null) parts.push(make('div', 'ts-tip-note', explanation.note));
  const list = make('dl', 'ts-tip-facts');
  for (const [name, value] of explanation.facts) list.append(make('dt', '', name), make('dd', '', value));
  if (explanation.facts.length > 0) parts.push(list);
  return parts;
}
