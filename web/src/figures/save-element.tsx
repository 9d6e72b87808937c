import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import { saveFile } from '../lib/save';
import { LIGHT } from '../paint/palette';

/** Device pixels to a CSS pixel: 288 dots to the inch. */
const RATIO = 3;

interface File {
  /** Without its suffix. */
  readonly name: string;
  /** Where the figure comes from, kept in the file. */
  readonly provenance: string;
}

/** Hands an `<svg>` element over as an SVG file, on white. */
export function saveElementSvg(figure: ReactElement, file: File): void {
  const { text } = documentOf(figure, file.provenance);
  saveFile(new Blob([text], { type: 'image/svg+xml' }), `${file.name}.svg`);
}

/** Hands an `<svg>` element over as a PNG file, on white. */
export async function saveElementPng(figure: ReactElement, file: File): Promise<void> {
  const { text, width, height } = documentOf(figure, file.provenance);
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * RATIO);
    canvas.height = Math.round(height * RATIO);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser provides no canvas');
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new Error('this browser could not make a PNG of the figure');
    saveFile(blob, `${file.name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The figure drawn once more beside the page, as a document of its own. */
function documentOf(figure: ReactElement, provenance: string) {
  const place = document.createElement('div');
  const root = createRoot(place);
  flushSync(() => root.render(figure));
  const svg = place.querySelector('svg');
  if (!svg) throw new Error('the figure is no <svg>');
  const [width, height] = ['width', 'height'].map((side) => Number(svg.getAttribute(side)));
  const ground = document.createElementNS(svg.namespaceURI, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', LIGHT.background);
  const description = document.createElementNS(svg.namespaceURI, 'desc');
  description.textContent = provenance;
  svg.prepend(description, ground);
  const text = new XMLSerializer().serializeToString(svg);
  root.unmount();
  return { text, width, height };
}
