import { PAGES } from './navigation';

/** What a key of the whole page asks for: to go to an address, or to show all keys. */
export type Command = { readonly kind: 'go'; readonly to: string } | { readonly kind: 'help' };

interface Step {
  /** Whether the next key says where to go. */
  readonly going: boolean;
  readonly command: Command | null;
}

/** What a key means; `going` says that `g` came just before it. */
export function step(going: boolean, key: string): Step {
  if (going) {
    const page = PAGES.find(({ letter }) => letter === key.toLowerCase());
    return { going: false, command: page ? { kind: 'go', to: page.to } : null };
  }
  return { going: key === 'g', command: key === '?' ? { kind: 'help' } : null };
}

/** The keys of the page and of what can be focused in it, as the help shows them. */
export const KEYS: readonly {
  readonly title: string;
  /** Whether they can be turned off: letters that work wherever the focus is (WCAG 2.1.4). */
  readonly letters: boolean;
  readonly keys: readonly (readonly [keys: string, meaning: string])[];
}[] = [
  { title: 'Everywhere', letters: false, keys: [['Ctrl K', 'find a page, an action, an experiment, a run']] },
  {
    title: 'Except in text fields',
    letters: true,
    keys: [
      ['?', 'show these keys'],
      ...PAGES.map(({ letter, label }) => [`g ${letter}`, `go to ${label}`] as const),
    ],
  },
  {
    title: 'On the page of a run',
    letters: true,
    keys: [
      ['j k', 'next and previous episode'],
      ['J K', 'next and previous repetition'],
    ],
  },
  {
    title: 'In a comparison',
    letters: true,
    keys: [
      ['j k', 'next and previous repetition'],
      ['o', 'overlaid or stacked'],
    ],
  },
  {
    title: 'In a diagram',
    letters: false,
    keys: [
      ['← →', 'move in time'],
      ['↑ ↓', 'move along the sequence axis'],
      ['+ −', 'zoom'],
      ['0', 'the whole run'],
      ['n p', 'next and previous segment'],
      ['t T', 'next and previous timeout'],
      ['r R', 'next and previous retransmission'],
      ['Esc', 'clear the selection'],
    ],
  },
  {
    title: 'On an event of a timeline',
    letters: false,
    keys: [
      ['← →', 'move it'],
      ['Shift ← →', 'resize it'],
      ['Ctrl ← →', 'move it in smaller steps'],
      ['Enter', 'edit its numbers'],
      ['Delete', 'delete it'],
      ['Ctrl Z', 'undo'],
      ['Ctrl Y', 'redo'],
    ],
  },
];
