import type { Plugin } from 'vite';

/** The line of the page that takes the report's JSON. Must stay whole, and unique, in the built page. */
export const REPORT_MARKER = '<script type="application/json" id="windlull-report">null</script>';
/** The line of the page that takes one script element per run. */
export const RUNS_MARKER = '<!--windlull-runs-->';

/** Puts the page's only script and only style sheet into the page, so that it works from a disk and without a network. */
export function singleFile(): Plugin {
  return {
    name: 'windlull-single-file',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const pages = Object.values(bundle).filter((file) => file.fileName.endsWith('.html'));
      for (const page of pages) {
        if (page.type !== 'asset') continue;
        let html = String(page.source);
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') {
            html = inlineScript(html, file.fileName, file.code);
            Reflect.deleteProperty(bundle, file.fileName);
          } else if (file.fileName.endsWith('.css')) {
            html = inlineStyle(html, file.fileName, String(file.source));
            Reflect.deleteProperty(bundle, file.fileName);
          }
        }
        requireOnce(html, REPORT_MARKER);
        requireOnce(html, RUNS_MARKER);
        page.source = html;
      }
    },
  };
}

/** Replaces the element that loads `fileName` by an inline module at the end of the body. */
export function inlineScript(html: string, fileName: string, code: string): string {
  const tag = new RegExp(`\\s*<script[^>]*src="[^"]*${escapeRegExp(fileName)}"[^>]*></script>`);
  // A literal `</script` would end the element, and `<!--` would change how it is parsed.
  const safe = code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3c!--');
  return requireMatch(html, tag, fileName)
    .replace(tag, '')
    .replace('</body>', () => `<script type="module">\n${safe}\n</script>\n</body>`);
}

/** Replaces the element that loads `fileName` by an inline style sheet. */
export function inlineStyle(html: string, fileName: string, css: string): string {
  const tag = new RegExp(`<link[^>]*href="[^"]*${escapeRegExp(fileName)}"[^>]*>`);
  return requireMatch(html, tag, fileName).replace(tag, () => `<style>\n${css.trim()}\n</style>`);
}

function requireMatch(html: string, tag: RegExp, fileName: string): string {
  if (!tag.test(html)) throw new Error(`the page does not load ${fileName}`);
  return html;
}

function requireOnce(html: string, marker: string): void {
  const lines = html.split('\n').filter((line) => line === marker);
  if (lines.length !== 1 || html.split(marker).length !== 2) {
    throw new Error(
      `the built page must have the line ${marker} exactly once, it has it ${lines.length} times`,
    );
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
