import { deflateSync, inflateSync } from 'node:zlib';

/** A picture of three octets a pixel, row by row. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** As many colours as fit in an octet. */
const COLOURS = 256;

/** The picture again with at most 256 colours, in a file a third as large: screenshots are mostly plain areas. */
export function withPalette(png: Buffer): Buffer {
  const picture = read(png);
  const colours = palette(picture.rgb);
  const { width, height, rgb } = picture;
  const known = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 3 * (y * width + x);
      const key = (rgb[at] << 16) | (rgb[at + 1] << 8) | rgb[at + 2];
      let place = known.get(key);
      if (place === undefined) known.set(key, (place = nearest(colours, key)));
      rows[y * (width + 1) + 1 + x] = place;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(colours.flatMap((key) => [key >> 16, (key >> 8) & 255, key & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Reads what Chromium writes: eight bits, with or without transparency, not interlaced. Transparency is left out. */
export function read(png: Buffer): Picture {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('no PNG');
  const parts: Buffer[] = [];
  let head: Buffer | null = null;
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') head = body;
    if (kind === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  const [depth, kind, , , interlace] = head?.subarray(8) ?? [];
  if (head === null || depth !== 8 || (kind !== 2 && kind !== 6) || interlace !== 0) {
    throw new Error('a PNG of another kind than Chromium writes');
  }
  const width = head.readUInt32BE(0);
  const height = head.readUInt32BE(4);
  const size = kind === 6 ? 4 : 3;
  const lines = unfiltered(inflateSync(Buffer.concat(parts)), width * size, height, size);
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) rgb.set(lines.subarray(i * size, i * size + 3), 3 * i);
  return { width, height, rgb };
}

/** Takes back what a row's filter did (PNG specification, clause 9). */
function unfiltered(rows: Buffer, stride: number, height: number, size: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= size ? out[at - size] : 0;
      const up = y > 0 ? out[at - stride] : 0;
      const corner = x >= size && y > 0 ? out[at - stride - size] : 0;
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[at] = rows[y * (stride + 1) + 1 + x] + add;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [l, u, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return l <= u && l <= c ? left : u <= c ? up : corner;
}

/** Up to 256 colours that stand for all, by median cut: the box with the most to lose is halved. */
function palette(rgb: Uint8Array): number[] {
  const counts = new Map<number, number>();
  for (let i = 0; i < rgb.length; i += 3) {
    const key = (rgb[i] << 16) | (rgb[i + 1] << 8) | rgb[i + 2];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const boxes = [boxOf([...counts])];
  while (boxes.length < COLOURS) {
    const worst = boxes.reduce((a, b) => (b.loss > a.loss ? b : a));
    if (worst.loss === 0) break;
    const { colours, shift } = worst;
    colours.sort(([a], [b]) => ((a >> shift) & 255) - ((b >> shift) & 255));
    const half = colours.length >> 1;
    boxes.splice(boxes.indexOf(worst), 1, boxOf(colours.slice(0, half)), boxOf(colours.slice(half)));
  }
  return boxes.map(({ mean }) => mean);
}

type Counted = [key: number, count: number];

/** Colours that become one: their mean, how much that loses, and along which channel they differ most. */
function boxOf(colours: Counted[]) {
  const weights = colours.map(([, count]) => Math.sqrt(count));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const channels = [16, 8, 0].map((shift) => {
    const values = colours.map(([key]) => (key >> shift) & 255);
    const mean = values.reduce((sum, value, i) => sum + value * weights[i], 0) / total;
    const spread = values.reduce((sum, value, i) => sum + weights[i] * (value - mean) ** 2, 0);
    return { shift, mean: Math.round(mean), spread };
  });
  const widest = channels.reduce((a, b) => (b.spread > a.spread ? b : a));
  const mean = channels.reduce((key, channel) => key | (channel.mean << channel.shift), 0);
  return { colours, mean, loss: colours.length > 1 ? widest.spread : 0, shift: widest.shift };
}

function nearest(colours: readonly number[], key: number): number {
  let best = 0;
  let least = Infinity;
  colours.forEach((colour, i) => {
    let far = 0;
    for (const shift of [16, 8, 0]) far += (((colour >> shift) & 255) - ((key >> shift) & 255)) ** 2;
    if (far < least) [least, best] = [far, i];
  });
  return best;
}

function chunk(kind: string, body: Buffer): Buffer {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(kind, 4, 'latin1');
  body.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

/** The check of a chunk (PNG specification, annex D). */
function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
