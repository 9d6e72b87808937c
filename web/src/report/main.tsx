import { createRoot } from 'react-dom/client';

import { decodeLearned } from '../series/learned';
import { decodeParting } from '../series/parting';
import { decodeReport, decodeReproduction } from '../series/report';
import { DataError } from '../series/error';
import { App } from './app';
import { LearnedLink } from './learned/app';
import { drawForScreenAndPaper, OnPaper } from '../figures/paper';
import { TwoRuns } from './parting/app';
import { Reproduction } from './reproduction/app';
import { RunStore } from './runs';
import '../lib/colors.css';
import '../results/results.css';
import './report.css';
import './reproduction/reproduction.css';
import './learned/learned.css';
import './parting/parting.css';

const element = document.getElementById('root');
if (element) {
  const root = createRoot(element);
  const content = page();
  drawForScreenAndPaper((onPaper) => root.render(<OnPaper value={onPaper}>{content}</OnPaper>));
}

function page() {
  try {
    const text = document.getElementById('windlull-report')?.textContent ?? 'null';
    const reproduction = decodeReproduction(text);
    if (reproduction) {
      document.title = 'Reproduction report – Windlull';
      return <Reproduction reproduction={reproduction} store={new RunStore(document)} />;
    }
    const learned = decodeLearned(text);
    if (learned) {
      document.title = `Learned from ${learned.captures.join(' and ')} – Windlull`;
      return <LearnedLink learned={learned} />;
    }
    const parting = decodeParting(text);
    if (parting) {
      document.title = `${parting.lead[0]} – Windlull`;
      return <TwoRuns page={parting} store={new RunStore(document)} />;
    }
    const report = decodeReport(text);
    if (!report) return <Notice text="This page has no report yet: windlull run fills it in." />;
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
