/** The code of one login in an address’ part behind `#`, as `#login=CODE`; `null` without one. */
export function loginCode(hash: string): string | null {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get('login');
  return code === null || code === '' || code.length > 1000 ? null : code;
}
