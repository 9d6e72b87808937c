import { gzipSync } from 'node:zlib';

import { REPORT_MARKER, RUNS_MARKER } from '../../build/single-file';

/** Fills the built page as the command does: the report's JSON and one script element per run. */
export function fillPage(
  html: string,
  report: unknown,
  runs: ReadonlyMap<string, Record<string, unknown>>,
): string {
  const json = JSON.stringify(report).replaceAll('<', '\\u003c');
  const scripts = [...runs].map(([key, series]) => {
    const data = gzipSync(JSON.stringify(series)).toString('base64');
    return `<script type="text/plain" data-run="${key}">${data}</script>`;
  });
  return html
    .replace(REPORT_MARKER, () => REPORT_MARKER.replace('null', () => json))
    .replace(RUNS_MARKER, () => scripts.join('\n'));
}
