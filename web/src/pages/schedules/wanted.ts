import type { Schema } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { messageAt, problemsAt } from '../../api/problems';
import { idIn } from '../../lib/ids';
import { MOST_REPETITIONS } from '../../lib/run-options';
import { type Testbed, testbedOf } from '../../ui/testbeds';

type Schedule = Schema<'ScheduleView'>;
type Given = Schema<'ScheduleGiven'>;
export type Against = Schema<'GateGiven'>['against'] & string;

/** What somebody wants run at set times. Texts may be wrong yet; secrets are empty where they stay as they are. */
export interface Wanted {
  readonly name: string;
  readonly experiment: string | null;
  readonly repetitions: string;
  readonly freshSeed: boolean;
  readonly testbed: Testbed;
  readonly cron: string;
  readonly zone: string;
  /** Rules, one a line; none is no gate. */
  readonly rules: string;
  readonly against: Against;
  readonly baseline: string;
  readonly strict: boolean;
  readonly tells: boolean;
  readonly url: string;
  readonly noticeSecret: string;
  readonly hooked: boolean;
  readonly hookSecret: string;
  readonly branch: string;
}

export const START: Wanted = {
  name: '',
  experiment: null,
  repetitions: '',
  freshSeed: false,
  testbed: 'sim',
  cron: '30 2 * * *',
  zone: 'UTC',
  rules: 'elapsed.median > 1.05 * baseline',
  against: 'previous',
  baseline: '',
  strict: false,
  tells: false,
  url: '',
  noticeSecret: '',
  hooked: false,
  hookSecret: '',
  branch: '',
};

const SHORTEST_SECRET = 16;

/** A schedule that there is, to change it. */
export function wantedOf(schedule: Schedule): Wanted {
  const { gate, hook, notice } = schedule;
  return {
    ...START,
    name: schedule.name,
    experiment: schedule.experiment,
    repetitions: String(schedule.repetitions ?? ''),
    freshSeed: schedule.fresh_seed,
    testbed: testbedOf(schedule.testbed),
    cron: schedule.cron ?? '',
    zone: schedule.zone,
    rules: gate?.fail_if.join('\n') ?? '',
    against: gate?.against ?? 'previous',
    baseline: String(gate?.batch ?? ''),
    strict: gate?.strict ?? false,
    tells: notice !== null,
    hooked: hook !== null,
    branch: hook?.branch ?? '',
  };
}

const rulesOf = (rules: string) =>
  rules
    .split('\n')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');

/** What is still to be said, in a sentence; null if nothing is. `before` is the schedule that is changed. */
export function whatIsMissing(wanted: Wanted, before: Schedule | null): string | null {
  const repetitions = Number(wanted.repetitions);
  const whole = Number.isInteger(repetitions) && repetitions >= 1 && repetitions <= MOST_REPETITIONS;
  if (wanted.name.trim() === '') return 'Give it a name; its batches have it as a tag.';
  if (wanted.experiment === null) return 'Choose an experiment.';
  if (wanted.repetitions.trim() !== '' && !whole)
    return 'Repetitions are a whole number from 1 to 100,000, or nothing.';
  if (wanted.against === 'batch' && rulesOf(wanted.rules).length > 0 && idIn(wanted.baseline) === null)
    return 'Enter the number of the batch to compare with.';
  if (wanted.tells && wanted.url.trim() === '' && !before?.notice)
    return 'Enter the address that notices go to.';
  if (isShort(wanted.noticeSecret) || isShort(wanted.hookSecret))
    return 'A secret has at least 16 characters.';
  if (wanted.hooked && wanted.hookSecret === '' && !before?.hook)
    return 'Enter the secret that the forge signs with.';
  return null;
}

/** The keys of the API that each field says. */
const KEYS: Readonly<Partial<Record<keyof Wanted, readonly string[]>>> = {
  name: ['name'],
  experiment: ['experiment'],
  repetitions: ['repetitions'],
  freshSeed: ['seed', 'fresh_seed'],
  testbed: ['testbed', 'plane'],
  cron: ['cron'],
  zone: ['zone'],
  rules: ['gate.fail_if'],
  against: ['gate.against'],
  baseline: ['gate.batch'],
  url: ['notice.url'],
  noticeSecret: ['notice.secret'],
  hookSecret: ['hook.secret'],
  branch: ['hook.branch'],
};

/** What was refused: at the fields that it is about, and whether there is more to it. */
export interface Refused {
  readonly at: Readonly<Partial<Record<keyof Wanted, string>>>;
  readonly elsewhere: boolean;
}

/** Where the form shows what the controller said. What is wrong with a file of the experiment has no field here. */
export function refusedAt(error: unknown): Refused {
  if (!(error instanceof ApiFailure)) return { at: {}, elsewhere: true };
  if (error.code === 'name-taken') return { at: { name: error.message }, elsewhere: false };
  const own = error.problems.filter(({ file }) => file === null || file === undefined);
  const fields = Object.entries(KEYS) as [keyof Wanted, readonly string[]][];
  const at = fields.flatMap(([field, keys]) => {
    const message = messageAt(own, ...keys);
    return message === undefined ? [] : [[field, message] as const];
  });
  const known = problemsAt(own, ...fields.flatMap(([, keys]) => keys));
  return {
    at: Object.fromEntries(at),
    elsewhere: error.problems.length === 0 || known.length < error.problems.length,
  };
}

const isShort = (secret: string) => secret !== '' && secret.length < SHORTEST_SECRET;

/** The part that a new schedule and a changed one have in common. */
function common(wanted: Wanted, experiment: string) {
  const rules = rulesOf(wanted.rules);
  return {
    name: wanted.name.trim(),
    experiment,
    repetitions: wanted.repetitions.trim() === '' ? null : Number(wanted.repetitions),
    fresh_seed: wanted.freshSeed,
    testbed: wanted.testbed,
    cron: wanted.cron.trim() === '' ? null : wanted.cron.trim(),
    zone: wanted.zone,
    gate:
      rules.length === 0
        ? null
        : {
            fail_if: rules,
            against: wanted.against,
            ...(wanted.against === 'batch' && { batch: Number(wanted.baseline) }),
            strict: wanted.strict,
          },
  };
}

const hookOf = ({ hookSecret, branch }: Wanted) => ({
  secret: hookSecret,
  ...(branch.trim() !== '' && { branch: branch.trim() }),
});

const noticeOf = ({ url, noticeSecret }: Wanted) => ({
  url: url.trim(),
  ...(noticeSecret !== '' && { secret: noticeSecret }),
});

/** What the controller is asked for a new schedule; null while something is missing. */
export function givenOf(wanted: Wanted): Given | null {
  if (wanted.experiment === null || whatIsMissing(wanted, null) !== null) return null;
  return {
    ...common(wanted, wanted.experiment),
    ...(wanted.hooked && { hook: hookOf(wanted) }),
    ...(wanted.tells && { notice: noticeOf(wanted) }),
  };
}

/** What the controller is asked to change; hook and receiver stay as they are where nothing new is said of them. */
export function changesOf(wanted: Wanted, before: Schedule): Schema<'ScheduleChanges'> | null {
  if (wanted.experiment === null || whatIsMissing(wanted, before) !== null) return null;
  const changed = common(wanted, wanted.experiment);
  return {
    ...changed,
    // What the form does not show is kept, unless it does not go with what it shows.
    gate: changed.gate && { ...changed.gate, ...(before.gate && { alpha: before.gate.alpha }) },
    ...(wanted.freshSeed && { seed: null }),
    ...(wanted.testbed === 'sim' && { plane: null }),
    ...(!wanted.hooked && { hook: null }),
    ...(wanted.hooked && wanted.hookSecret !== '' && { hook: hookOf(wanted) }),
    ...(!wanted.tells && { notice: null }),
    ...(wanted.tells && wanted.url.trim() !== '' && { notice: noticeOf(wanted) }),
  };
}
