/** What the browser remembers of a person's choices; a browser that forbids it forgets them, and nothing else. */

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage may be forbidden or full: the choice holds until the page is left.
  }
}
