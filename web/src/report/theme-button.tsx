import { nextChoice, type ThemeChoice } from './use-theme';

interface Props {
  readonly choice: ThemeChoice;
  readonly onChange: (choice: ThemeChoice) => void;
}

/** Goes through the colours: as the system has them, light, dark. */
export function ThemeButton({ choice, onChange }: Props) {
  return (
    <button
      type="button"
      className="theme"
      title="Colours: as the system has them, light, or dark"
      onClick={() => {
        onChange(nextChoice(choice));
      }}
    >
      {choice === 'auto' ? '◐ auto' : choice === 'light' ? '○ light' : '● dark'}
    </button>
  );
}
