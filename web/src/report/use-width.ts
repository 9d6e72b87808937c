import { useEffect, useState, type RefObject } from 'react';

/** The width of an element in CSS pixels, kept up to date; 0 until it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const measure = () => {
      setWidth(target.clientWidth);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    measure();
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return width;
}
