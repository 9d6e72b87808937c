import { defineConfig } from 'vitest/config';

import { singleFile } from './build/single-file';

/** One page of one file a build: `vite build` makes the report, `vite build --mode two-runs` the page of two runs. */
export default defineConfig(({ mode }) => ({
  plugins: [singleFile()],
  build: {
    target: 'es2022',
    // The page travels with every report: a few kB less each.
    minify: 'terser',
    outDir: 'dist',
    // The application is built beside it, by vite.app.config.ts.
    emptyOutDir: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: mode === 'two-runs' ? 'two-runs.html' : 'report.html' },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}', 'build/**/*.test.ts'],
  },
}));
