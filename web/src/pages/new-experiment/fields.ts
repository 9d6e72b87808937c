import schema from '../../../../schema/experiment.json';
import { aboutOf, entryOf, labelOf, type Entry, type KeySchema } from '../../lib/schema-field';
import { kindsOf } from '../../lib/schema-table';

/** How a setting of `[tcp]` is entered: as the schema of files says (schema/experiment.json). */
export interface TcpField {
  readonly path: string;
  readonly label: string;
  readonly about: string;
  /** `text`: a value with its unit; `count`: a whole number; `switch`: true or false; `choice`: one of `choices`. */
  readonly kind: Entry | 'choice';
  /** What holds if nothing is said, for variants that do not say otherwise. */
  readonly usual: string;
  /** Of a `choice`: the words of the file, and what they mean. */
  readonly choices?: readonly (readonly [string, string])[];
}

/** Settings of one subject. */
export interface TcpGroup {
  readonly subject: string;
  readonly fields: readonly TcpField[];
}

/** A setting in the schema; one without a place in the form has a form of its own, or is a table of settings. */
interface Setting extends KeySchema {
  readonly type?: string;
  readonly enum?: readonly (string | null)[];
  readonly 'x-default'?: unknown;
  readonly 'x-labels'?: Readonly<Record<string, string>>;
  readonly 'x-form'?: { readonly part: string; readonly place: number };
}

type Settings = Readonly<Record<string, Setting>>;

/** The fields of a table of settings, by subject and in the order of the table. */
function groups(settings: Settings, prefix: string): TcpGroup[] {
  const placed = Object.entries(settings).flatMap(([key, setting]) => {
    const { type, 'x-form': form } = setting;
    return form && type !== undefined ? [{ key, setting, form, kind: entryOf(type) }] : [];
  });
  placed.sort((one, other) => one.form.place - other.form.place);
  const subjects = [...new Set(placed.map(({ form }) => form.part))];
  return subjects.map((subject) => ({
    subject,
    fields: placed
      .filter(({ form }) => form.part === subject)
      .map(({ key, setting, kind }) => field(prefix + key, setting, kind)),
  }));
}

function field(path: string, setting: Setting, kind: TcpField['kind']): TcpField {
  const { enum: words } = setting;
  const usual = setting['x-default'];
  const named = (word: string) => setting['x-labels']?.[word] ?? word;
  const said = { label: labelOf(path, setting), path, about: aboutOf(setting) };
  if (words) {
    const choices = words.flatMap((word) => (word === null ? [] : [[word, named(word)] as const]));
    return { ...said, kind: 'choice', usual: named(String(usual)), choices };
  }
  return { ...said, kind, usual: kind === 'switch' ? (usual === true ? 'on' : 'off') : String(usual) };
}

/** The settings that are laid over every variant, by subject; `delayed_ack` has a form of its own. */
export const TCP_GROUPS: readonly TcpGroup[] = [
  ...groups(schema.$defs.SettingsFile.properties, ''),
  ...groups(schema.$defs.TimerFile.properties, 'timer.'),
];

export const TCP_FIELDS: readonly TcpField[] = TCP_GROUPS.flatMap(({ fields }) => fields);

/** When a receiver acknowledges: the kinds, and the name of that which holds if nothing is said. */
export const DELAYED_ACK = {
  kinds: kindsOf(schema.$defs.DelayedAckFile),
  usual: schema.$defs.SettingsFile.properties.delayed_ack['x-default'].kind,
};

/** Keys of an experiment that have a field of the form, by the first key. */
export const FORM_KEYS = [
  'title', 'extends', 'description', 'source', 'assumptions', 'link', 'links', 'access', 'variants', 'workload',
  'workloads', 'flows', 'network', 'repetitions', 'seed', 'time_limit', 'capture', 'live', 'tcp', 'claim',
] as const; // prettier-ignore

/** The keys of a claim, all of which have a field; claims that `each` writes together are shown one by one. */
export const CLAIM_KEYS = [
  'id', 'text', 'metric', 'per', 'statistic', 'left', 'relation', 'right', 'value', 'factor', 'tolerance', 'link',
  'right_link', 'note',
] as const; // prettier-ignore

/** Keys for repeating a publication, and for being extended: the text alone has them, and the form keeps them. */
export const TEXT_KEYS = ['base', 'figure', 'figures', 'published', 'stand_in'] as const;
