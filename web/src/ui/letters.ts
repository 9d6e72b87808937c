import { recall, remember } from '../lib/stored';

/** Where the choice is kept. */
const SETTING = 'windlull-letters';

let wanted = recall(SETTING) !== 'off';

/** Whether letters alone do anything: who speaks to the computer, or types them unasked, turns them off (WCAG 2.1.4). */
export function lettersWanted(): boolean {
  return wanted;
}

export function wantLetters(choice: boolean): void {
  wanted = choice;
  remember(SETTING, choice ? 'on' : 'off');
}

/** Controls that take letters themselves: what is typed, or what a list jumps to. */
const TAKES_LETTERS =
  'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="menu"], [role="dialog"]';

interface Press {
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly defaultPrevented: boolean;
  readonly isComposing: boolean;
  readonly target: EventTarget | null;
}

/** Whether a press is a key alone that nobody else takes: one with Ctrl or Alt is the browser's, or somebody's name. */
export function isForPage(press: Press): boolean {
  if (press.ctrlKey || press.metaKey || press.altKey || press.defaultPrevented || press.isComposing)
    return false;
  const { target } = press;
  return !(target !== null && 'closest' in target && (target as Element).closest(TAKES_LETTERS) !== null);
}
