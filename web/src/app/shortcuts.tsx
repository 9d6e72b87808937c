import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';

import { isForPage, lettersWanted, wantLetters } from '../ui/letters';
import { help, Help } from './help';
import { step } from './keys';
import { palette } from './palette';

/** How long after `g` a letter still says where to go. */
const CHORD_MS = 1500;

/** The keys of the whole page. They take nothing from fields, dialogues, or who handles a key itself. */
export function Shortcuts() {
  const navigate = useNavigate();
  const [letters, setLetters] = useState(lettersWanted);

  useWindowEvent('keydown', (event) => {
    // Ctrl K is no character: it works everywhere, and opens from fields too.
    if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
    if (event.ctrlKey === event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    palette.toggle();
  });

  useEffect(() => {
    if (!letters) return;
    let going = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Shift') return;
      clearTimeout(timer);
      if (!isForPage(event)) {
        going = false;
        return;
      }
      const next = step(going, event.key);
      going = next.going;
      if (going) timer = setTimeout(() => (going = false), CHORD_MS);
      if (next.command === null) return;
      event.preventDefault();
      if (next.command.kind === 'help') help.open();
      else void navigate(next.command.to);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', onKey);
    };
  }, [letters, navigate]);

  return (
    <Help
      letters={letters}
      onLetters={(wanted) => {
        wantLetters(wanted);
        setLetters(wanted);
      }}
    />
  );
}
