import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { fillPage } from '../src/testing/page';
import { sampleReport } from '../src/testing/sample';

/** The built page filled with a sample report. */
export function filledPage(repetitions: number): string {
  const built = readFileSync(fileURLToPath(new URL('../dist/report.html', import.meta.url)), 'utf8');
  const { report, runs } = sampleReport(repetitions);
  return fillPage(built, report, runs);
}
