import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { withPalette } from './png';
import { launch } from '../chromium';

const SIZE = { width: 200, height: 100 };

/** Screenshots with fewer colours, as the browser itself reads them. */
describe('a PNG with a palette', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
    page = await browser.newPage({ viewport: SIZE });
  });

  afterAll(async () => {
    await browser.close();
  });

  it('has the colours of plain areas exactly, and nearly those of gradients', async () => {
    await page.setContent(
      '<body style="margin:0;background:#12161c">' +
        '<div style="width:100px;height:50px;background:#0067a1"></div>' +
        '<div style="height:50px;background:linear-gradient(90deg,#000,#fff)"></div>',
    );
    const before = await page.screenshot();
    const after = withPalette(before);
    expect(after[25]).toBe(3); // of the kind that has a palette
    const [old, small] = [await pixels(before), await pixels(after)];
    const at = (x: number, y: number) => small.slice(4 * (y * SIZE.width + x), 4 * (y * SIZE.width + x) + 3);
    expect(at(10, 10)).toEqual([0x00, 0x67, 0xa1]);
    expect(at(190, 10)).toEqual([0x12, 0x16, 0x1c]);
    expect(Math.max(...old.map((value, i) => Math.abs(value - small[i])))).toBeLessThanOrEqual(8);
  });

  it('has fewer octets than a page of words had', async () => {
    await page.setContent(`<body>${'Words, and words again. '.repeat(60)}</body>`);
    const before = await page.screenshot();
    expect(withPalette(before).length).toBeLessThan(before.length);
  });

  it('is refused where it is none', () => {
    expect(() => withPalette(Buffer.from('GIF89a is none'))).toThrow('no PNG');
  });

  /** Red, green, blue and opacity of every pixel. */
  function pixels(png: Buffer): Promise<number[]> {
    return page.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      return [...(context?.getImageData(0, 0, image.width, image.height).data ?? [])];
    }, png.toString('base64'));
  }
});
