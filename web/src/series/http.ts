import { addressOf } from './address';
import type { AskWindow } from './windowed';

/** Why a run's series cannot be had. The message is for people. */
export class SeriesFailure extends Error {
  override readonly name = 'SeriesFailure';
  /** The HTTP status; 0 if the service could not be reached. */
  readonly status: number;
  /** What kind of failure it is, in the API's words; `unreachable` if the service could not be reached. */
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Asks the service for windows of the series at an address. `fetch` is the browser's, or one that does as it does. */
export function askOverHttp(series: string, fetch: typeof globalThis.fetch): AskWindow {
  return async (ask, signal) => {
    const address = addressOf(series, ask);
    const response = await reach(fetch, address, signal);
    const text = await response.text();
    if (response.ok) return text;
    const { message, code } = errorOf(text, response.status);
    throw new SeriesFailure(message, response.status, code);
  };
}

async function reach(
  fetch: typeof globalThis.fetch,
  address: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(address, { signal, headers: { Accept: 'application/json' } });
  } catch (error) {
    // Who gave up knows, and is told so in the browser's own way.
    if (signal.aborted) throw error;
    throw new SeriesFailure('The service cannot be reached.', 0, 'unreachable');
  }
}

function errorOf(text: string, status: number): { readonly message: string; readonly code: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
    if (typeof error?.message === 'string' && typeof error.code === 'string') {
      return { message: error.message, code: error.code };
    }
  } catch {
    // Not of the service's making: a proxy's page, for example.
  }
  return { message: `The service answered with status ${status}.`, code: 'unknown' };
}
