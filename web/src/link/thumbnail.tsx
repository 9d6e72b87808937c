import { Skeleton, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

import { ns } from '../lib/brand';
import { usePalette } from '../paint/use-palette';
import { sentence } from '../ui/asked';
import { heightOf, paintPreview, SMALL } from './preview-figure';
import type { Preview } from './preview-model';
import { useNamedPreview } from './use-preview';

const HEIGHT = heightOf(SMALL);

interface Props {
  readonly name: string;
  /** How long, from the start of a run. */
  readonly seconds: number;
  /** Whether it may be asked for: an engine draws it, so what nobody sees is left. */
  readonly wanted: boolean;
}

/** A link over time in a few pixels, with its summary for those who do not see it. */
export function PreviewThumbnail({ name, seconds, wanted }: Props) {
  const { data, error } = useNamedPreview(name, seconds, wanted);
  if (data !== undefined) return <Thumbnail preview={data} seconds={seconds} />;
  if (error === null) return <Skeleton height={HEIGHT} aria-busy={wanted} />;
  return (
    <Text size="xs" c="dimmed" mih={HEIGHT}>
      It cannot be previewed. {sentence(error)}
    </Text>
  );
}

function Thumbnail({ preview, seconds }: { readonly preview: Preview; readonly seconds: number }) {
  const palette = usePalette();
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const window = { from: ns(0), to: ns(seconds * 1e9) };
    if (canvas.current && width > 0)
      paintPreview(
        canvas.current,
        { preview, window, width, palette, layout: SMALL },
        globalThis.devicePixelRatio,
      );
  }, [preview, seconds, width, palette]);
  return (
    <div ref={ref}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Rate and delay over ${seconds} s. ${preview.summary.join('. ')}`}
        style={{ width: '100%', height: HEIGHT, display: 'block' }}
      />
    </div>
  );
}
