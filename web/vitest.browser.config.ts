import { readdirSync, readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

/** `shared`: the files whose tests share a service. `own`: all others. Either may run beside the other. */
const part = process.env['BROWSER_TESTS'];

const files = readdirSync('browser', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('appliance'))
  .map((name) => `browser/${name}`)
  .filter((file) => {
    const shares = readFileSync(file, 'utf8').includes("inject('shared')");
    return part === undefined || shares === (part === 'shared');
  });

/** The built report, and the application with a real controller and engine, in a real browser. */
export default defineConfig({
  test: {
    environment: 'node',
    include: files,
    globalSetup: 'browser/app/setup.ts',
    // The machine may be slow and busy; nothing here is judged by the time that it takes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
  },
});
