import { useSyncExternalStore } from 'react';

/** A dialogue that anyone may open: a button, a key, another dialogue. */
export class Opening {
  readonly #watchers = new Set<() => void>();
  #opened = false;

  readonly open = (): void => this.#set(true);

  readonly close = (): void => this.#set(false);

  readonly toggle = (): void => this.#set(!this.#opened);

  readonly opened = (): boolean => this.#opened;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  #set(opened: boolean): void {
    if (opened === this.#opened) return;
    this.#opened = opened;
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Whether the dialogue is open. */
export function useOpened(opening: Opening): boolean {
  return useSyncExternalStore(opening.watch, opening.opened);
}
