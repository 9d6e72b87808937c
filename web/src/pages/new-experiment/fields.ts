import schema from '../../../../schema/experiment.json';

/** How a setting of `[tcp]` is entered: as the schema of files says (schema/experiment.json). */
export interface TcpField {
  readonly path: string;
  readonly label: string;
  readonly about: string;
  /** `text`: a value with its unit; `count`: a whole number; `switch`: true or false; `choice`: one of `choices`. */
  readonly kind: 'text' | 'count' | 'switch' | 'choice';
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
interface Setting {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly (string | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly atLeast?: string;
  readonly atMost?: string;
  readonly 'x-default'?: unknown;
  readonly 'x-labels'?: Readonly<Record<string, string>>;
  readonly 'x-form'?: { readonly part: string; readonly place: number };
}

type Settings = Readonly<Record<string, Setting>>;

const KINDS = { boolean: 'switch', integer: 'count', string: 'text' } as const;

/** The fields of a table of settings, by subject and in the order of the table. */
function groups(settings: Settings, prefix: string): TcpGroup[] {
  const placed = Object.entries(settings).flatMap(([key, setting]) => {
    const type = setting.type as keyof typeof KINDS | undefined;
    return setting['x-form'] && type ? [{ key, setting, form: setting['x-form'], kind: KINDS[type] }] : [];
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
  const { title = path, description = '', enum: words } = setting;
  const usual = setting['x-default'];
  const named = (word: string) => setting['x-labels']?.[word] ?? word;
  const said = { label: title, path, about: description.replace(/ Default: [^]*$/, '') + range(setting) };
  if (words) {
    const choices = words.flatMap((word) => (word === null ? [] : [[word, named(word)] as const]));
    return { ...said, kind: 'choice', usual: named(String(usual)), choices };
  }
  return { ...said, kind, usual: kind === 'switch' ? (usual === true ? 'on' : 'off') : String(usual) };
}

function range({ atLeast, atMost, minimum, maximum }: Setting): string {
  const [least, most] = [atLeast ?? minimum, atMost ?? maximum];
  if (least !== undefined && most !== undefined) return ` From ${least} to ${most}.`;
  if (least !== undefined) return ` At least ${least}.`;
  return most === undefined ? '' : ` At most ${most}.`;
}

/** The settings that are laid over every variant, by subject; `delayed_ack` has a form of its own. */
export const TCP_GROUPS: readonly TcpGroup[] = [
  ...groups(schema.$defs.SettingsFile.properties, ''),
  ...groups(schema.$defs.TimerFile.properties, 'timer.'),
];

export const TCP_FIELDS: readonly TcpField[] = TCP_GROUPS.flatMap(({ fields }) => fields);

/** A kind of delayed acknowledgements, with the durations that it needs and what they begin as. */
export interface AckKind {
  readonly value: string;
  readonly label: string;
  readonly needs: readonly { readonly key: string; readonly label: string; readonly fresh: string }[];
}

export const ACK_KINDS: readonly AckKind[] = [
  { value: 'none', label: 'At once', needs: [] },
  {
    value: 'every-second',
    label: 'Every second full-sized segment',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'every-second-segment',
    label: 'Every second segment of any size',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'every-second-within',
    label: 'Every second segment of any size, or a clock’s tick',
    needs: [
      { key: 'earliest', label: '… not before', fresh: '50 ms' },
      { key: 'latest', label: '… at the latest after', fresh: '100 ms' },
    ],
  },
  {
    value: 'window-part',
    label: 'Once 35 % of the window wait',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'at-ticks',
    label: 'At ticks of the receiver’s clock',
    needs: [{ key: 'clock', label: '… every', fresh: '10 ms' }],
  },
  { value: 'linux', label: 'As Linux: every segment at first, every second one later', needs: [] },
];

/** Keys of an experiment that have a field of the form, by the first key. */
export const FORM_KEYS = [
  'title', 'extends', 'description', 'source', 'assumptions', 'link', 'links', 'access', 'variants', 'workload',
  'workloads', 'flows', 'repetitions', 'seed', 'time_limit', 'capture', 'live', 'tcp', 'claim',
] as const; // prettier-ignore

/** The keys of a claim, all of which have a field; claims that `each` writes together are shown one by one. */
export const CLAIM_KEYS = [
  'id', 'text', 'metric', 'per', 'statistic', 'left', 'relation', 'right', 'value', 'factor', 'tolerance', 'link',
  'right_link', 'note',
] as const; // prettier-ignore

/** Keys for repeating a publication, and for being extended: the text alone has them, and the form keeps them. */
export const TEXT_KEYS = ['base', 'figure', 'figures', 'published', 'stand_in'] as const;
