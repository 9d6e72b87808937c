/** Words that say how something came out, with a sign each, and what colour: a word differs in all three. */
const MARKS = {
  reproduced: ['✓', 'good'],
  supported: ['✓', 'good'],
  'shown by one run': ['✓', 'good'],
  valid: ['✓', 'good'],
  'within noise': ['~', 'open'],
  'in part': ['◐', 'open'],
  'cannot be decided': ['?', 'open'],
  'not checked': ['–', 'open'],
  'not run': ['–', 'open'],
  'not reproduced': ['✗', 'bad'],
  'not valid': ['✗', 'bad'],
  failed: ['✗', 'bad'],
} as const;

interface Props {
  readonly word: keyof typeof MARKS;
  /** What it means, for those who point at it. */
  readonly title?: string | undefined;
}

/** A status: of a claim, a statement or a run. */
export function Mark({ word, title }: Props) {
  const [sign, tone] = MARKS[word];
  return (
    <span className="pill" data-status={word} data-of={tone} title={title}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}
