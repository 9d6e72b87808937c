import schema from '../../../schema/link.json';

/** A family of links, as the schema of link files has it. */
export interface Family {
  /** As files write it. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

/** The families in the order of lists. */
export const FAMILIES: readonly Family[] = schema.$defs.Family.oneOf.map(
  ({ const: name, title, description }) => ({
    name,
    title,
    about: description,
  }),
);

/** Of links that say none. They are the user's own, and stand first. */
export const NONE: Family = {
  name: 'none',
  title: 'Of no family',
  about: 'Give a link a `family` in its text, and it stands with its like.',
};

interface Member {
  readonly family: string | null;
}

export interface Group<Line> {
  readonly family: Family;
  readonly lines: readonly Line[];
}

/** Lines by family, families without any left out. A family that only a newer engine knows counts as none. */
export function byFamily<Line extends Member>(lines: readonly Line[]): readonly Group<Line>[] {
  const known = new Set(FAMILIES.map(({ name }) => name));
  const of = ({ family }: Line) => (family !== null && known.has(family) ? family : NONE.name);
  return [NONE, ...FAMILIES]
    .map((family) => ({ family, lines: lines.filter((line) => of(line) === family.name) }))
    .filter((group) => group.lines.length > 0);
}
