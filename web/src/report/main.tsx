import { createRoot } from 'react-dom/client';

import { decodeReport } from '../series/report';
import { DataError } from '../series/error';
import { App } from './app';
import { RunStore } from './runs';
import './report.css';

const root = document.getElementById('root');
if (root) createRoot(root).render(page());

function page() {
  try {
    const report = decodeReport(document.getElementById('windlull-report')?.textContent ?? 'null');
    if (!report) return <Notice text="This page holds no report yet: windlull run fills it." />;
    document.title = `${report.experiment.title} – Windlull`;
    return <App report={report} store={new RunStore(document)} />;
  } catch (error) {
    if (error instanceof DataError) return <Notice text={error.message} />;
    throw error;
  }
}

function Notice({ text }: { readonly text: string }) {
  return (
    <main>
      <h1>Windlull report</h1>
      <p className="error" role="alert">
        {text}
      </p>
    </main>
  );
}
