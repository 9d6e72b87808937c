import { StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';

/** The names of the mode's tags to our classes; toml.css has their colours, light and dark. */
const CLASSES: Readonly<Record<string, string>> = {
  propertyName: 'toml-key',
  string: 'toml-string',
  comment: 'toml-comment',
  atom: 'toml-atom',
  number: 'toml-number',
};

/** TOML, with classes in place of colours, so that both themes need no other editor. */
export const language = [
  StreamLanguage.define(toml),
  syntaxHighlighting({ style: (tags) => CLASSES[String(tags[0])] ?? null }),
];
