/**
 * Where to go after the token, from the address’ `back`: a path of ours, or the first page. What leads elsewhere is not
 * followed: `//host` and `/\host` are other sites to a browser.
 */
export function safeBack(back: string | null, origin: string): string {
  if (!back?.startsWith('/')) return '/';
  if (!URL.canParse(back, origin)) return '/';
  const url = new URL(back, origin);
  if (url.origin !== origin || url.pathname === '/session') return '/';
  return url.pathname + url.search + url.hash;
}
