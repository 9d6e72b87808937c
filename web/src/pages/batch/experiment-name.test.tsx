import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';

import { ApiFailure, isMissing } from '../../api/failure';
import { Name } from './experiment-name';

const shown = (name: string, hasPage: boolean) =>
  renderToStaticMarkup(
    <MantineProvider>
      <MemoryRouter>
        <Name name={name} hasPage={hasPage} />
      </MemoryRouter>
    </MantineProvider>,
  );

const failure = (status: number) => new ApiFailure({ status, code: 'x', message: 'x', problems: [] });

describe('the experiment of a batch', () => {
  it('is a link to its page', () => {
    expect(shown('one-flow', true)).toMatch(/<a [^>]*href="\/experiments\/[^"]*one-flow"[^>]*>one-flow<\/a>/);
  });

  it('is its name alone where there is no such page', () => {
    const html = shown('one-flow/on-links', false);
    expect(html).toContain('<code>one-flow/on-links</code>');
    expect(html).not.toContain('href');
  });

  it('has no page only if the service says so', () => {
    expect(isMissing(failure(404))).toBe(true);
    expect(isMissing(failure(503))).toBe(false);
    expect(isMissing(null)).toBe(false);
  });
});
