import { decodeLearned } from '../series/learned';
import { decodeReport, decodeReproduction } from '../series/report';
import { App } from './app';
import { LearnedLink } from './learned/app';
import { Reproduction } from './reproduction/app';
import { RunStore } from './runs';
import { Notice, start } from './start';
import './reproduction/reproduction.css';
import './learned/learned.css';

start((text) => {
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
  const report = decodeReport(text);
  if (!report) return <Notice text="This page has no report yet: windlull run fills it in." />;
  document.title = `${report.experiment.title} – Windlull`;
  return <App report={report} store={new RunStore(document)} />;
});
