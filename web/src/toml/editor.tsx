import { Anchor, Code, Kbd, List, Stack, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useId, useMemo, useRef } from 'react';

import type { Problem } from '../api/failure';
import { Waiting, placeOf } from '../ui/asked';
import { Prose } from '../ui/text';
import type { Caret } from './code-mirror';
import { isElsewhere, marksOf } from './marks';

const CodeMirror = lazy(() => import('./code-mirror').then((module) => ({ default: module.CodeMirror })));

interface Props {
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  /** What the engine found wrong: marked in the text, and listed under it. */
  readonly problems?: readonly Problem[];
  /** What the engine calls this text, as `links/mine.toml`: problems of other files are listed, not marked. */
  readonly file?: string;
  readonly readOnly?: boolean;
  /** What the text is, as `The link as TOML`; stands above it. */
  readonly label: string;
  /** The label is there for those who hear the page only: the place says it already. */
  readonly hideLabel?: boolean;
  /** The least height, as CSS has it. */
  readonly minHeight?: string;
}

const NONE: readonly Problem[] = [];

/** A text in TOML with what is wrong with it. Its editor is a chunk of its own, loaded when it is first shown. */
export function TomlEditor(props: Props) {
  const { value, onChange, problems = NONE, file, readOnly = false, label, hideLabel, minHeight } = props;
  const labelId = useId();
  const hintId = useId();
  const caret = useRef<Caret>(null);
  const marks = useMemo(() => marksOf(value, problems, file), [value, problems, file]);
  const name = (
    <Text id={labelId} size="sm" fw={500}>
      {label}
    </Text>
  );
  return (
    <Stack gap={6}>
      {hideLabel === true ? <VisuallyHidden>{name}</VisuallyHidden> : name}
      <Suspense fallback={<Waiting what="the editor" rows={8} />}>
        <CodeMirror
          ref={caret}
          value={value}
          onChange={onChange}
          marks={marks}
          readOnly={readOnly}
          labelledBy={labelId}
          describedBy={readOnly ? undefined : hintId}
          minHeight={minHeight ?? '10rem'}
        />
      </Suspense>
      {!readOnly && (
        <Text id={hintId} size="xs" c="dimmed">
          <Kbd size="xs">Tab</Kbd> leaves the text, <Kbd size="xs">Ctrl ]</Kbd> indents a line,{' '}
          <Kbd size="xs">F8</Kbd> goes to the next problem.
        </Text>
      )}
      <div role="status" aria-live="polite">
        {problems.length > 0 && (
          <List size="sm" spacing={4} aria-label={`Problems of ${label}`}>
            {problems.map((problem, i) => (
              <List.Item key={i}>
                <ProblemLink
                  problem={problem}
                  file={file}
                  onGo={() => {
                    const mark = marksOf(value, [problem], file).at(0);
                    if (mark) caret.current?.goTo(mark.from);
                  }}
                />{' '}
                <Prose text={problem.message} />
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </Stack>
  );
}

interface ProblemLinkProps {
  readonly problem: Problem;
  readonly file: string | undefined;
  readonly onGo: () => void;
}

/** Where a problem is: a way there, if that is in this text. */
function ProblemLink({ problem, file, onGo }: ProblemLinkProps) {
  const place = placeOf(problem);
  if (isElsewhere(problem, file)) {
    return <Code>{[problem.file ?? '', place].filter((part) => part !== '').join(', ')}</Code>;
  }
  if (typeof problem.line !== 'number') return place === '' ? null : <Code>{place}</Code>;
  return (
    <Anchor component="button" type="button" size="sm" underline="always" onClick={onGo}>
      {place}
    </Anchor>
  );
}
