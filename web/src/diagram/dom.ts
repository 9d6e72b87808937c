/** Makes an element with a class, and puts text or children into it. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/** Makes a push button. */
export function makeButton(
  className: string,
  label: string,
  title: string,
  onClick: () => void,
): HTMLButtonElement {
  const button = make('button', className, label);
  button.type = 'button';
  button.title = title;
  button.setAttribute('aria-label', title);
  button.addEventListener('click', onClick);
  return button;
}

/** Calls back before and after the page is printed, until the signal says enough. */
export function whenPrinting(signal: AbortSignal, print: (on: boolean) => void): void {
  for (const [event, on] of [
    ['beforeprint', true],
    ['afterprint', false],
  ] as const) {
    window.addEventListener(event, () => print(on), { signal });
  }
}
