import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

import { drawForScreenAndPaper, OnPaper } from '../figures/paper';
import { DataError } from '../series/error';
import '../lib/colors.css';
import '../results/results.css';
import './report.css';

/** Draws what `page` makes of the JSON that a page of one file holds. A `DataError` is shown in its place. */
export function start(page: (text: string) => ReactNode): void {
  const element = document.getElementById('root');
  if (!element) return;
  const root = createRoot(element);
  const content = contentOf(page);
  drawForScreenAndPaper((onPaper) => root.render(<OnPaper value={onPaper}>{content}</OnPaper>));
}

function contentOf(page: (text: string) => ReactNode): ReactNode {
  try {
    return page(document.getElementById('windlull-report')?.textContent ?? 'null');
  } catch (error) {
    if (error instanceof DataError) return <Notice text={error.message} />;
    throw error;
  }
}

/** A sentence in place of a page. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <main>
      <h1>Windlull report</h1>
      <p className="error" role="alert">
        {text}
      </p>
    </main>
  );
}
