import { useState } from 'react';

const OCTETS = 16;

/**
 * Idempotency keys for what creates. A request that is tried again has the key of its first try, so that the controller
 * makes nothing twice, whatever became of the first answer. Another request, or one after a success, has a key of its own.
 */
export class CreationKeys {
  readonly #keys = new Map<string, string>();

  /** The key for a request, which is any JSON that tells it from others. */
  keyOf(request: unknown): string {
    const asked = JSON.stringify(request);
    const known = this.#keys.get(asked);
    if (known !== undefined) return known;
    const key = freshKey();
    this.#keys.set(asked, key);
    return key;
  }

  /** The request was answered: the same one again is meant to make another. */
  done(request: unknown): void {
    this.#keys.delete(JSON.stringify(request));
  }
}

/** The keys of a form or button, for as long as it is there. */
export function useCreationKeys(): CreationKeys {
  const [keys] = useState(() => new CreationKeys());
  return keys;
}

/** Not `crypto.randomUUID`, which only pages have that came over HTTPS or from this machine. */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(OCTETS))]
    .map((octet) => octet.toString(16).padStart(2, '0'))
    .join('');
}
