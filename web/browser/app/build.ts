import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../..', import.meta.url));

/** What is built, and how. */
const PAGES = [
  { built: 'dist/report.html', config: 'vite.config.ts', mode: 'production' },
  { built: 'dist/two-runs.html', config: 'vite.config.ts', mode: 'two-runs' },
  { built: 'dist/app/index.html', config: 'vite.app.config.ts', mode: 'production' },
];

/** Builds the pages of one file and the application, if anything that they are made of is younger. */
export function build(): void {
  const youngest = Math.max(
    ...readdirSync(join(WEB, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
      changed(join(WEB, 'src', file)),
    ),
    ...['package-lock.json', 'report.html', 'two-runs.html', ...PAGES.map(({ config }) => config)].map(
      (file) => changed(join(WEB, file)),
    ),
  );
  for (const { built, config, mode } of PAGES) {
    const file = join(WEB, built);
    if (existsSync(file) && changed(file) >= youngest) continue;
    execFileSync('npx', ['vite', 'build', '--logLevel', 'warn', '--config', config, '--mode', mode], {
      cwd: WEB,
      stdio: 'inherit',
      // Vitest says that this is a test; the pages are to be those that people get.
      env: { ...process.env, NODE_ENV: 'production' },
    });
  }
}

/** When a file changed, in ms since 1970. */
function changed(file: string): number {
  const { mtimeMs } = statSync(file);
  return mtimeMs;
}
