import { beforeEach, describe, expect, it } from 'vitest';

import { serving, visiting } from './visiting';

const TOKEN = 'a-token-for-tests-0123456789';

/** A service that asks for a token. */
describe('a service with a token', () => {
  const service = serving({ token: TOKEN, workers: 1 });
  const visitor = visiting(() => service.url);

  beforeEach(() => {
    // The browser tells of every answer of 401 and 403, which are what is tested.
    visitor.expecting(/status of 40[13]/);
  });

  it('asks for it, says what is wrong with another, and goes back to where one was', async () => {
    const { page } = visitor;
    await page.goto('/profiles/variants?origin=shipped');
    await page.waitForURL('**/session?back=*');
    const field = page.getByLabel('Token', { exact: true });
    await field.fill('not-the-token-0123456789');
    await page.keyboard.press('Enter');
    await page.getByText('The token is wrong.').waitFor();
    await field.fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/profiles/variants?origin=shipped');
    await page
      .getByRole('link', { name: /frto\+sack/ })
      .first()
      .waitFor();
    // Scripts cannot read what the browser keeps.
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.reload();
    await page
      .getByRole('link', { name: /frto\+sack/ })
      .first()
      .waitFor();
  });
});

describe('a service that made its own token', () => {
  const service = serving({ token: 'own', workers: 1 });
  const visitor = visiting(() => service.url);

  beforeEach(() => {
    visitor.expecting(/status of 40[13]/);
  });

  it('logs a browser in by the address that it printed, once, and leaves nothing of it in the address bar', async () => {
    const { page } = visitor;
    await page.goto('/');
    await page.waitForURL('**/session?back=*');
    await page.goto(service.login);
    await page.waitForURL((url) => url.pathname === '/');
    expect(page.url()).not.toContain('login');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.goto('/profiles/variants?origin=shipped');
    await page
      .getByRole('link', { name: /frto\+sack/ })
      .first()
      .waitFor();

    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto(service.login);
    await page.getByText('was used before, or is too old').waitFor();
    expect(page.url()).not.toContain('login');
    expect((await page.request.get(`${service.url}/api/v1/runs`)).status()).toBe(401);
  });
});
