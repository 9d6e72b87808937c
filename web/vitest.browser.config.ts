import { defineConfig } from 'vitest/config';

/** The built report, and the application with a real controller and engine, in a real browser. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['browser/*.test.ts', 'browser/app/**/*.test.ts'],
    globalSetup: 'browser/app/setup.ts',
    // The machine may be slow and busy; nothing here is judged by the time that it takes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
  },
});
