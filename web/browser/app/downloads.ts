import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { Download, Page } from 'playwright-core';

/** Waits for the file that an act of the reader's saves. */
export async function savedBy(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

/** The hash of a file's octets, as the service writes it. */
export function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
