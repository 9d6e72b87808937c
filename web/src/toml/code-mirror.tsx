import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type CSSProperties, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';

import type { Mark } from './marks';
import './toml.css';

/** What others may ask of the editor. */
export interface Caret {
  /** Moves the caret to an offset and the focus to the editor. */
  readonly goTo: (offset: number) => void;
}

interface Props {
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly marks: readonly Mark[];
  readonly readOnly: boolean;
  /** Ids of the elements that name and describe the text. */
  readonly labelledBy: string;
  readonly describedBy: string | undefined;
  /** The least height, as CSS has it. */
  readonly minHeight: string;
  readonly ref?: Ref<Caret>;
}

/** CodeMirror as a controlled component. Tab is not bound: it leaves, as in every other field. */
export function CodeMirror(props: Props) {
  const { value, onChange, marks, readOnly, labelledBy, describedBy, minHeight, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const first = useRef(value);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
    first.current = value;
  });

  useEffect(() => {
    if (host.current === null) return;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          language,
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          ...(readOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()]),
          EditorView.contentAttributes.of({
            'aria-labelledby': labelledBy,
            // It has the focus anyway; this says so to those who look for what scrolls without.
            tabindex: '0',
            ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
          }),
          keymap.of([
            { key: 'F8', run: nextDiagnostic },
            { key: 'Shift-F8', run: previousDiagnostic },
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [readOnly, labelledBy, describedBy]);

  useEffect(() => {
    const { current } = view;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const { current } = view;
    if (current === null) return;
    const { length } = current.state.doc;
    const diagnostics = marks
      .filter(({ to }) => to <= length)
      .map((mark) => ({ ...mark, severity: 'error' as const }));
    current.dispatch(setDiagnostics(current.state, diagnostics));
  }, [marks, readOnly, labelledBy, describedBy]);

  useImperativeHandle(ref, () => ({
    goTo: (offset) => {
      const { current } = view;
      if (current === null) return;
      const anchor = Math.min(offset, current.state.doc.length);
      current.dispatch({ selection: { anchor }, scrollIntoView: true });
      current.focus();
    },
  }));

  return <div ref={host} style={{ '--toml-least': minHeight } as CSSProperties} />;
}

/** The names of the mode's tags to our classes; toml.css has their colours, light and dark. */
const CLASSES: Readonly<Record<string, string>> = {
  propertyName: 'toml-key',
  string: 'toml-string',
  comment: 'toml-comment',
  atom: 'toml-atom',
  number: 'toml-number',
};

/** TOML, with classes in place of colours, so that both themes need no other editor. */
const language = [
  StreamLanguage.define(toml),
  syntaxHighlighting({ style: (tags) => CLASSES[String(tags[0])] ?? null }),
];
