import { defineConfig } from 'vite';

import { compressed } from './build/compressed';
import { directIcons } from './build/direct-icons';

/** Where `windlull serve` stands beside while one develops. */
const SERVICE = process.env['WINDLULL_URL'] ?? 'http://127.0.0.1:8642';

/** What most pages share goes into one file: a page of forty small ones waits for forty answers, six at a time. */
function inOneFile(id: string): string | undefined {
  return /\/node_modules\/@(?:mantine\/core|tabler)\/|\/src\/(?:lib|ui)\//.test(id) ? 'parts' : undefined;
}

/** The web control plane: what `windlull serve` gives at `/`. */
export default defineConfig({
  root: 'src/app',
  publicDir: false,
  plugins: [directIcons(), compressed()],
  build: {
    target: 'es2022',
    outDir: process.env['WINDLULL_APP_OUT'] ?? '../../dist/app',
    emptyOutDir: true,
    // Which files each page needs: the service names them in its headers.
    manifest: 'scripts.json',
    // The page's policy allows no inline script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      output: { manualChunks: inOneFile },
      onwarn(warning, warn) {
        // "use client" is for frameworks that render on a server.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    // Pages read docs/grades.json, controller/windlull/metrics.json and schema.
    fs: { allow: ['../../..'] },
    // It refuses changes that come from a page of another origin.
    proxy: { '/api': { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } } },
  },
});
