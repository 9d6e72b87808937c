import { decodeSeries } from '../series/decode';
import { DataError } from '../series/error';
import { inflateBase64 } from '../series/inflate';
import { RunIndex } from '../series/run-index';
import { WholeRun } from '../series/source';

/** Decoded runs that are kept at hand. */
const KEPT = 8;

/** The runs inside the page, inflated when asked for. */
export class RunStore {
  readonly #packed = new Map<string, HTMLElement>();
  readonly #decoded = new Map<string, WholeRun>();

  constructor(page: ParentNode) {
    for (const element of page.querySelectorAll<HTMLElement>('script[data-run]')) {
      this.#packed.set(element.dataset['run'] ?? '', element);
    }
  }

  /** Whether the page holds the diagram data of this run. */
  has(key: string): boolean {
    return this.#packed.has(key);
  }

  /** The data of a run. Throws a `DataError`. */
  load(key: string): WholeRun {
    let run = this.#decoded.get(key);
    if (!run) {
      run = this.#decode(key);
      this.#decoded.set(key, run);
      const oldest = this.#decoded.keys().next().value;
      if (this.#decoded.size > KEPT && oldest !== undefined) this.#decoded.delete(oldest);
    }
    return run;
  }

  #decode(key: string): WholeRun {
    const element = this.#packed.get(key);
    if (!element) throw new DataError(`this report has no diagram data for run ${key}`);
    const series = decodeSeries(inflateBase64(element.textContent, `run ${key}`));
    return new WholeRun(new RunIndex(series));
  }
}
