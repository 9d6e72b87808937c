import { Anchor, Text, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp, IconCornerLeftUp } from '@tabler/icons-react';
import { createContext, use, type ChangeEvent, type ReactNode } from 'react';
import type { TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import type { Verdict } from '../../toml/use-validation';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import type { Existing, FieldErrors, Outcome } from './documents';
import { messageAt } from '../../api/problems';
import { INHERITABLE, type Draft, type Inheritable } from './draft';
import { textOf, valueAt, withValue } from '../../lib/values';
import { layOver, sourceOf, type Inherited } from './inherited';
import type { Replayed } from './replay';

/** What is edited, what it comes to, and what is wrong with it. */
export interface Form {
  /** With what it inherits; `rest` is its own alone. */
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  /** The draft without what it inherits. */
  readonly raw: Draft;
  readonly inherited: Inherited;
  /** Why what it extends cannot be read. */
  readonly unread: string | undefined;
  /** The experiment that is changed, if it is not a new one. */
  readonly edited: string | null;
  readonly existing: Existing;
  readonly outcome: Outcome;
  readonly errors: FieldErrors;
  /** What the engine says of the experiment. */
  readonly problems: readonly Problem[];
  /** What it says of the drawn link. */
  readonly linkProblems: readonly Problem[];
  /** What is replayed, once it is known, and why it cannot be. */
  readonly replayed: Replayed | null;
  readonly replayError: Error | null;
  /** What it says of the workload that is being made. */
  readonly workloadVerdict: Verdict;
}

export const FormContext = createContext<Form | null>(null);

/** The form that a part belongs to, and fields for what stands in the experiment's text alone, by its path of keys. */
export function useForm() {
  const form = use(FormContext);
  if (form === null) throw new Error('outside of the form');
  const { draft, change, problems, inherited } = form;
  const whole = layOver(draft.rest, inherited.table);
  const own = (path: string) => valueAt(draft.rest, path);
  const below = (path: string) => valueAt(inherited.table, path);
  const from = (path: string) => (draft.extends === null ? null : sourceOf(inherited, path));
  const isOwn = (path: string) =>
    isInheritable(path) ? !draft.inherits.includes(path) : own(path) !== undefined;
  const inherits = (path: string) => from(path) !== null && !isOwn(path);
  const set = (path: string, value: TomlValue | null | undefined) =>
    change({ rest: withValue(draft.rest, path, value === '' ? undefined : (value ?? undefined)) });
  const inherit = (path: string) =>
    isInheritable(path) ? change({ inherits: [...draft.inherits, path] }) : set(path, undefined);
  /** Says under a field where its value is from. */
  const marked = (path: string) => ({
    ...(inherits(path) && { className: 'inherited' }),
    ...(from(path) !== null && {
      inputContainer: (children: ReactNode) => (
        <>
          {children}
          <Origin of={path} />
        </>
      ),
    }),
  });
  return {
    ...form,
    /** A value, inherited or not. */
    at: (path: string) => valueAt(whole, path),
    own,
    below,
    from,
    isOwn,
    inherits,
    set,
    inherit,
    marked,
    message: (...keys: readonly string[]) => messageAt(problems, ...keys),
    /** A text; of one that is inherited the field is empty and shows it in grey. */
    typed: (path: string) => ({
      ...marked(path),
      ...(inherits(path) && { placeholder: textOf(below(path)) }),
      value: textOf(own(path)),
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set(path, currentTarget.value),
    }),
    /** The same of a text with a place of its own in the draft. */
    entered: (path: 'flows' | 'repetitions' | 'seed') => ({
      ...marked(path),
      ...(inherits(path) && { placeholder: draft[path] }),
      value: inherits(path) ? '' : draft[path],
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
        if (value === '' && from(path) !== null) inherit(path);
        else change({ [path]: path === 'flows' ? value : value.trim() });
      },
    }),
    /** A choice, the first of which, an empty one, is the default: or what is inherited. */
    chosen: (path: string, choices: readonly Choice[]) => ({
      ...marked(path),
      data: withInheritedChoice(choices, below(path)),
      value: textOf(own(path)),
      onChange: (value: string | null) => set(path, value),
    }),
  };
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The choices, of which the empty one says what is inherited, if something is. */
export function withInheritedChoice(choices: readonly Choice[], below: TomlValue | undefined): Choice[] {
  if (below === undefined) return [...choices];
  const word = typeof below === 'boolean' ? String(below) : textOf(below);
  const label = choices.find(({ value }) => value !== '' && value === word)?.label ?? word;
  return choices.map((choice) =>
    choice.value === '' ? { value: '', label: `Inherited: ${label}` } : choice,
  );
}

const isInheritable = (path: string): path is Inheritable => INHERITABLE.some((one) => one === path);

/** How long a value may be that a line repeats. */
const SHORT = 24;

/** The experiment that something is inherited from, `changed` in part. */
export function From({ name, changed = false }: { readonly name: string; readonly changed?: boolean }) {
  return (
    <Text size="xs" c="dimmed" mt={4} className="origin">
      <IconCornerLeftUp size={12} aria-hidden /> Inherited from{' '}
      <TextLink to={to.document('experiment', name)} title={name} size="xs" underline="always">
        {lastPart(name)}
      </TextLink>
      {changed && ', and changed here'}
    </Text>
  );
}

/** The experiment that a value is inherited from; of one that replaces such a value, the way back. */
export function Origin({ of }: { readonly of: string }) {
  const { from, below, isOwn, inherit } = useForm();
  const name = from(of);
  if (name === null) return null;
  if (!isOwn(of)) return <From name={name} />;
  const value = textOf(below(of));
  return (
    <Anchor component="button" type="button" size="xs" mt={4} className="origin" onClick={() => inherit(of)}>
      <IconArrowBackUp size={12} aria-hidden /> Back to{' '}
      {value !== '' && value.length <= SHORT ? `${value} of ${lastPart(name)}` : `what ${lastPart(name)} has`}
      <VisuallyHidden>: {of}</VisuallyHidden>
    </Anchor>
  );
}

const lastPart = (name: string) => name.split('/').at(-1) ?? name;
