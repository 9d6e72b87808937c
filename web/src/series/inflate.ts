import { gunzipSync } from 'fflate';

import { DataError } from './error';

/**
 * Decodes base64 (white space allowed) and inflates the gzip stream inside it. At once, which the browser's own means
 * cannot: a page that is printed has no time to wait.
 */
export function inflateBase64(base64: string, what: string): string {
  let bytes: Uint8Array;
  try {
    const binary = atob(base64.trim());
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  } catch {
    throw new DataError(`${what}: the data in this page are not base64; the file may have been cut off`);
  }
  try {
    return new TextDecoder().decode(gunzipSync(bytes));
  } catch {
    throw new DataError(`${what}: the data in this page are not gzip; the file may have been cut off`);
  }
}
