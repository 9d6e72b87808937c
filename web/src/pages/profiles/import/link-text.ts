import type { TomlTable } from 'smol-toml';

import type { Direction } from '../../../api/client';
import { quoted } from '../../../lib/toml';
import { inline } from '../../../lib/toml-edit';
import type { Recording } from './read-file';

/** The API takes no longer text. */
export const MOST_LETTERS = 1 << 22;

/** What a link is made of: what files give, and what fields say where they do not. */
export interface LinkDraft {
  readonly title: string;
  readonly source: string;
  readonly recordings: Readonly<Record<Direction, Recording | null>>;
  /** Where no file gives a rate, as `1 Mbit/s`. */
  readonly rate: string;
  /** Where no file gives delays, as `50 ms`. */
  readonly delay: string;
  readonly queue: TomlTable;
}

/** Whether a file says it, so that no field has to. */
export const givesRate = (recording: Recording | null) => recording !== null && recording.kind !== 'delays';
export const givesDelay = (recording: Recording | null) => recording !== null && !givesRate(recording);

/** The text of a link of these parts. */
export function linkText(parts: LinkDraft): string {
  const head = [
    `title  = ${quoted(parts.title)}`,
    `source = ${quoted(parts.source)}`,
    '',
    '[both]',
    `queue = ${inline(parts.queue)}`,
  ];
  return [...head, ...direction('down', parts), ...direction('up', parts)].join('\n') + '\n';
}

/** The beginning of a recording, up to an instant in seconds. Delays have no instants, and stay whole. */
export function upTo(recording: Recording, seconds: number): Recording {
  switch (recording.kind) {
    case 'trace': {
      const until = seconds * 1000;
      return { ...recording, milliseconds: recording.milliseconds.filter((at) => at <= until) };
    }
    case 'steps': {
      const count = recording.atS.filter((at) => at <= seconds).length;
      return { ...recording, atS: recording.atS.slice(0, count), bps: recording.bps.slice(0, count) };
    }
    case 'delays':
      return recording;
  }
}

function direction(name: Direction, parts: LinkDraft): string[] {
  const recording = parts.recordings[name];
  const lines = ['', `[${name}]`];
  if (recording?.kind !== 'delays') lines.push(`delay = ${quoted(parts.delay)}`);
  if (recording === null) return [...lines, `rate  = ${quoted(parts.rate)}`];
  switch (recording.kind) {
    case 'delays': {
      const samples = recording.seconds.map((s) => `${s} s`).join(', ');
      return [...lines, `delay = "empirical(${samples})"`, `rate  = ${quoted(parts.rate)}`];
    }
    case 'trace':
      return [
        ...lines,
        '',
        `[${name}.rate]`,
        'kind = "trace"',
        'milliseconds = [',
        ...inRows(recording.milliseconds),
        ']',
      ];
    case 'steps':
      return [
        ...lines,
        '',
        `[${name}.rate]`,
        'kind = "stepped"',
        'steps = [',
        ...recording.atS.map((at, i) => `  { at = "${at} s", rate = "${recording.bps[i] ?? 0} bit/s" },`),
        ']',
      ];
  }
}

const IN_A_ROW = 16;

function inRows(values: readonly number[]): string[] {
  const rows: string[] = [];
  for (let i = 0; i < values.length; i += IN_A_ROW) {
    rows.push(`  ${values.slice(i, i + IN_A_ROW).join(', ')},`);
  }
  return rows;
}
