import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fillPage } from '../src/testing/page';
import { inlineScript, inlineStyle, REPORT_MARKER, RUNS_MARKER } from './single-file';

describe.each([
  ['report.html', 'production'],
  ['two-runs.html', 'two-runs'],
])('the built page %s', (page, mode) => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  let outDir = '';
  let html = '';

  beforeAll(() => {
    outDir = mkdtempSync(join(tmpdir(), 'windlull-web-'));
    // A process of its own: the test runner's environment would build the library's slow, checking variant.
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    execFileSync(
      process.execPath,
      [vite, 'build', '--mode', mode, '--outDir', outDir, '--logLevel', 'error'],
      {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'production' },
      },
    );
    html = readFileSync(join(outDir, page), 'utf8');
  }, 60_000);

  afterAll(() => {
    rmSync(outDir, { recursive: true, force: true });
  });

  it('has both marker lines, whole and once', () => {
    const lines = html.split('\n');
    expect(lines.filter((line) => line === REPORT_MARKER).length).toBe(1);
    expect(lines.filter((line) => line === RUNS_MARKER).length).toBe(1);
    expect(html.split(RUNS_MARKER).length).toBe(2);
    expect(html.split('id="windlull-report"').length).toBe(2);
  });

  it('loads nothing from anywhere', () => {
    const [head, body] = html.split('<script type="module">');
    expect(head).not.toMatch(/<script[^>]*src=|<link[^>]*rel="stylesheet"|@import|url\(\s*["']?http/);
    expect(body).toContain('</html>');
    expect(html).not.toMatch(/<(script|img|iframe)[^>]*\ssrc=/);
  });

  it('holds no sample data and stays small', () => {
    expect(html).not.toContain('sample/sudden-delays');
    expect(html.length).toBeLessThan(400_000);
  });

  it('takes a report and its runs', () => {
    const filled = fillPage(html, { text: '</script>$&' }, new Map([['frto+sack/001', { version: 1 }]]));
    expect(filled).toContain('id="windlull-report">{"text":"\\u003c/script>$&"}</script>');
    expect(filled).toContain('<script type="text/plain" data-run="frto+sack/001">');
    expect(filled).not.toContain(RUNS_MARKER);
  });
});

describe('inlining', () => {
  it('keeps code from ending its own element', () => {
    const page = '<head><script type="module" crossorigin src="./a-1.js"></script></head><body></body>';
    const html = inlineScript(page, 'a-1.js', 'x = "</script><!--$&"');
    expect(html).toBe(
      '<head></head><body><script type="module">\nx = "<\\/script>\\x3c!--$&"\n</script>\n</body>',
    );
  });

  it('refuses a page that does not load the file', () => {
    expect(() => inlineStyle('<head></head>', 'a.css', '')).toThrow('the page does not load a.css');
  });
});
