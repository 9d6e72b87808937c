import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { decodeLearned } from '../../series/learned';
import { decodeParting, type PartingPage } from '../../series/parting';
import { samplePartingPage } from '../../testing/sample-parting';
import { sampleReport } from '../../testing/sample-report';
import { PartingContents } from '../../results/parting';
import { Heading } from './app';

const MADE = samplePartingPage().page;

function sample(change: Partial<PartingPage['difference']> = {}): PartingPage {
  const page = decodeParting(JSON.stringify(MADE));
  if (page === null) throw new Error('the sample is a page of two runs');
  return { ...page, difference: { ...page.difference, ...change } };
}

describe('the page of two runs', () => {
  it('begins with where they part, and says which runs they are', () => {
    const html = renderToStaticMarkup(<Heading page={sample()} />);
    expect(html).toContain('<h1>They part at 12.000000 s: both sent then, and not the same octets.</h1>');
    expect(html).toContain('>The senders part by a decision of their own: both had heard the same.</p>');
    for (const text of ['frto+sack over gprs-sudden-delays', '61 packets until then', 'A: no fates.csv.'])
      expect(html).toContain(text);
  });

  it('names both decisions with their rules, or says that none is told', () => {
    const html = renderToStaticMarkup(<PartingContents page={sample()} />);
    expect(html).toContain(
      '<th scope="row">A</th><td>after-timeout</td><td class="text">RFC 5681, section 3.1</td>',
    );
    expect(html).toMatch(
      /<th scope="row">B<\/th><td>detector F-RTO 2a<\/td><td class="text"><span class="none">not told/,
    );
  });

  it('tells the story, the settings and what it cost', () => {
    const html = renderToStaticMarkup(<PartingContents page={sample()} />);
    expect(html).toContain(
      '<th scope="row">12.000000</th><td>A</td><td class="text">It sent octets 0 to 255 again.</td>',
    );
    expect(html).toMatch(/detection<\/th><td><span class="none">default<\/span><\/td><td>&quot;frto&quot;/);
    expect(html).toContain('Elapsed time (s)</th><td>94.130</td><td>76.234</td><td>−17.895</td>');
    expect(html).toContain('Retransmissions</th><td>57</td><td>12</td><td>−45</td>');
  });

  it('has no table of decisions where they do not part', () => {
    const html = renderToStaticMarkup(
      <PartingContents page={sample({ parting: null, story: [], settings: [] })} />,
    );
    expect(html).not.toContain('id="decisions"');
    expect(html).not.toContain('id="story"');
    expect(html).toContain('id="costs"');
  });

  it('is told apart from other reports', () => {
    expect(decodeParting(JSON.stringify(sampleReport(1).report))).toBeNull();
    expect(decodeParting('null')).toBeNull();
    expect(decodeLearned(JSON.stringify(MADE))).toBeNull();
    expect(() => decodeParting(JSON.stringify({ ...MADE, version: 2 }))).toThrow('version');
  });
});
