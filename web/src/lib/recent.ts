/** The most recently used things, no more than so many. */
export class Recent<T> {
  readonly #limit: number;
  /** The least recently used stands first. */
  readonly #kept = new Set<T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** All that is kept, in no order that means anything. */
  [Symbol.iterator](): Iterator<T> {
    return this.#kept.values();
  }

  /** Keeps a thing, or notes that it was used again. What was longest unused goes if there are too many. */
  use(thing: T): void {
    this.#kept.delete(thing);
    this.#kept.add(thing);
    for (const oldest of this.#kept) {
      if (this.#kept.size <= this.#limit) return;
      this.#kept.delete(oldest);
    }
  }
}
