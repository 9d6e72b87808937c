import { defineConfig } from 'vitest/config';

/** The appliance that runs, in a real browser: controller/tests/appliance starts it. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['browser/appliance/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 240_000,
    fileParallelism: false,
  },
});
