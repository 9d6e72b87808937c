import { DataError } from './error';

/** Decodes base64 (white space allowed) and inflates the gzip stream inside it, with the browser's own means. */
export async function inflateBase64(base64: string, what: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const binary = atob(base64.trim());
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  } catch {
    throw new DataError(`${what}: the data in this page are not base64; the file may have been cut off`);
  }
  if (typeof DecompressionStream === 'undefined') {
    throw new DataError(`${what}: this browser cannot inflate gzip; any browser since 2023 can`);
  }
  try {
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return await new Response(inflated).text();
  } catch {
    throw new DataError(`${what}: the data in this page are not gzip; the file may have been cut off`);
  }
}
