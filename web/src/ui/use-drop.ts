import { useRef, useState, type CSSProperties, type DragEvent } from 'react';

/** Takes files that are dropped on an element: what it listens to, whether some are over it, how a frame shows so. */
export function useDrop(take: (files: readonly File[]) => void) {
  const [over, setOver] = useState(false);
  // Entering a child comes before leaving its parent: only the last one that is left ends it.
  const depth = useRef(0);
  const within = (depthNow: number) => {
    depth.current = Math.max(0, depthNow);
    setOver(depth.current > 0);
  };
  const ofFiles = (act: (event: DragEvent) => void) => (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) act(event);
  };
  const target = {
    onDragEnter: ofFiles(() => within(depth.current + 1)),
    onDragOver: ofFiles((event) => event.preventDefault()),
    onDragLeave: ofFiles(() => within(depth.current - 1)),
    onDrop: ofFiles((event) => {
      event.preventDefault();
      within(0);
      take([...event.dataTransfer.files]);
    }),
  };
  const frame: CSSProperties = {
    borderStyle: 'dashed',
    ...(over && { borderColor: 'var(--mantine-primary-color-filled)' }),
  };
  return { over, target, frame };
}
