import { gzipSync } from 'node:zlib';

import type { Plugin } from 'vite';

/** Below this, the headers of an answer are most of it. */
const WORTH_OCTETS = 1024;

const KINDS = /\.(?:js|css|svg)$/;

/** Writes each script, style and picture a second time, as FILE.gz, for the service to send to those who take it. */
export function compressed(): Plugin {
  return {
    name: 'windlull-compressed',
    apply: 'build',
    // After all others: what they made is what is sent.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const made of Object.values(bundle)) {
          const source = made.type === 'chunk' ? made.code : made.source;
          if (!KINDS.test(made.fileName) || source.length < WORTH_OCTETS) continue;
          this.emitFile({
            type: 'asset',
            fileName: `${made.fileName}.gz`,
            source: gzipSync(source, { level: 9 }),
          });
        }
      },
    },
  };
}
