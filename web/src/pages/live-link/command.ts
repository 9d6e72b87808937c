import type { Schema } from '../../api/client';
import { quoted } from '../../lib/run-options';

type Asked = Schema<'ChangeGiven'>;

/** The command that makes the same change: `windlull link hold --on down --for '3 s'`. */
export function commandOf({ kind, direction = 'both', set, for: lasts }: Asked): string {
  const options = { ...set, on: direction === 'both' ? null : direction, for: lasts };
  return [
    'windlull link',
    kind,
    ...Object.entries(options).flatMap(([name, value]) => (value ? [`--${name}`, quoted(value)] : [])),
  ].join(' ');
}
