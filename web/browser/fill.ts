import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { fillPage } from '../src/testing/page';
import { sampleReport } from '../src/testing/sample-report';

/** The built page filled with a sample report, of simulated runs or of live ones beside them. */
export function filledPage(repetitions: number, sample = sampleReport): string {
  const built = readFileSync(fileURLToPath(new URL('../dist/report.html', import.meta.url)), 'utf8');
  const { report, runs } = sample(repetitions);
  return fillPage(built, report, runs);
}
