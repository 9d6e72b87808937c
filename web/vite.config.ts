import { defineConfig } from 'vitest/config';

import { singleFile } from './build/single-file';

export default defineConfig({
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
    rollupOptions: { input: 'report.html' },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}', 'build/**/*.test.ts'],
  },
});
