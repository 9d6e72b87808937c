import { defineConfig } from 'vitest/config';

/** The built report in a real browser. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['browser/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
