import { decodeParting } from '../../series/parting';
import { RunStore } from '../runs';
import { Notice, start } from '../start';
import { TwoRuns } from './app';
import '../reproduction/reproduction.css';

start((text) => {
  const page = decodeParting(text);
  if (!page) return <Notice text="This page has no runs yet: windlull diff fills them in." />;
  document.title = `${page.lead[0]} – Windlull`;
  return <TwoRuns page={page} store={new RunStore(document)} />;
});
