import { viewFromText, viewToText } from '../lib/view-text';
import type { Viewport } from '../lib/viewport';

/** What a permalink holds. */
export interface Permalink {
  /** The key of the run on show. */
  readonly run: string | null;
  /** What it is compared with: a variant, or `TESTBED:VARIANT`. */
  readonly versus: string | null;
  /** The part of the run on show; `null` is all of it. */
  readonly view: Viewport | null;
}

export const NOWHERE: Permalink = { run: null, versus: null, view: null };

/** Reads `#run=frto+sack/001&vs=sack&t=10.5_20.25&y=0_40960`: times in seconds, offsets in octets. Ignores the rest. */
export function parseHash(hash: string): Permalink {
  const values = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at > 0) values.set(part.slice(0, at), decode(part.slice(at + 1)));
  }
  return {
    run: values.get('run') ?? null,
    versus: values.get('vs') ?? null,
    view: viewFromText(values.get('t') ?? null, values.get('y') ?? null),
  };
}

/** Writes a permalink; empty for the page as it opens. */
export function formatHash(permalink: Permalink): string {
  const parts: string[] = [];
  if (permalink.run !== null) parts.push(`run=${encode(permalink.run)}`);
  if (permalink.versus !== null) parts.push(`vs=${encode(permalink.versus)}`);
  if (permalink.view) {
    const { t, y } = viewToText(permalink.view);
    parts.push(`t=${t}`);
    if (y !== null) parts.push(`y=${y}`);
  }
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** Keys keep their slash, plus and colon, so that a person can read the address. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%2B', '+').replaceAll('%3A', ':');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
