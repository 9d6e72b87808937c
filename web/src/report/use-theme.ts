import { useEffect, useState } from 'react';

import type { Theme } from '../diagram/options';
import { recall, remember } from '../lib/stored';

/** What the reader asked for; `auto` follows the system. */
export type ThemeChoice = 'auto' | Theme;

const KEY = 'windlull-theme';
const CHOICES: readonly ThemeChoice[] = ['auto', 'light', 'dark'];

/** The theme in force, the reader's choice, and how to change it. Remembered where the browser allows. */
export function useTheme(): readonly [Theme, ThemeChoice, (choice: ThemeChoice) => void] {
  const [choice, setChoice] = useState(() => CHOICES.find((one) => one === recall(KEY)) ?? 'auto');
  const [system, setSystem] = useState<Theme>(() => (darkQuery().matches ? 'dark' : 'light'));
  useEffect(() => {
    const query = darkQuery();
    const follow = () => setSystem(query.matches ? 'dark' : 'light');
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  const theme = choice === 'auto' ? system : choice;
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
    // A page from a disk may have no storage; the choice then lasts as long as the page.
    remember(KEY, choice);
  }, [theme, choice]);
  return [theme, choice, setChoice];
}

/** The choice after this one. */
export function nextChoice(choice: ThemeChoice): ThemeChoice {
  return CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
}

function darkQuery(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)');
}
