import { nextChoice, type ThemeChoice } from './use-theme';

interface Props {
  readonly choice: ThemeChoice;
  readonly onChange: (choice: ThemeChoice) => void;
}

/** Goes through the colours: as in the system, light, dark. */
export function ThemeButton({ choice, onChange }: Props) {
  return (
    <button
      type="button"
      className="theme"
      title="Colours: as in the system, light, or dark"
      onClick={() => onChange(nextChoice(choice))}
    >
      {choice === 'auto' ? '◐ auto' : choice === 'light' ? '○ light' : '● dark'}
    </button>
  );
}
