import 'react';

declare module 'react' {
  interface CSSProperties {
    /** How dark a run's cell is, 0 to 1. */
    '--shade'?: number;
  }
}
