import { useEffect, useState, type RefObject } from 'react';

import { PAPER_WIDTH, useOnPaper } from './paper';

/** The width of an element in CSS pixels, kept up to date; 0 until it is known; that of paper while the page is printed. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  const onPaper = useOnPaper();
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const measure = () => setWidth(target.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return onPaper ? PAPER_WIDTH : width;
}
