import { grouped } from './format';

/** One mark of an axis. */
export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** The marks of an axis and the unit that their labels are in. */
export interface Ticks {
  readonly unit: string;
  readonly marks: readonly Tick[];
}

interface Unit {
  readonly name: string;
  readonly size: number;
}

const TIME_UNITS: readonly Unit[] = [
  { name: 's', size: 1e9 },
  { name: 'ms', size: 1e6 },
  { name: 'µs', size: 1e3 },
  { name: 'ns', size: 1 },
];

const OCTET_UNITS: readonly Unit[] = [
  { name: 'GB', size: 1e9 },
  { name: 'MB', size: 1e6 },
  { name: 'kB', size: 1e3 },
  { name: 'B', size: 1 },
];

const RATE_UNITS: readonly Unit[] = [
  { name: 'Gbit/s', size: 1e9 },
  { name: 'Mbit/s', size: 1e6 },
  { name: 'kbit/s', size: 1e3 },
  { name: 'bit/s', size: 1 },
];

/** The smallest of 1, 2, 5 times a power of ten that is at least `span / count`. */
export function niceStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const mantissa = rough / power;
  // A hair above 1, 2, 5 is rounding, not a reason for a coarser step.
  const nice = mantissa <= 1.0001 ? 1 : mantissa <= 2.0001 ? 2 : mantissa <= 5.0001 ? 5 : 10;
  return nice * power;
}

/** Multiples of a nice step within `[lo, hi]`, about `count` of them. */
export function niceValues(lo: number, hi: number, count: number, smallest = 0): number[] {
  const step = Math.max(niceStep(hi - lo, count), smallest);
  const values: number[] = [];
  const first = Math.ceil(lo / step - 1e-9);
  const last = Math.floor(hi / step + 1e-9);
  for (let k = first; k <= last; k++) values.push(k * step);
  return values;
}

/** Marks for a time axis in nanoseconds; seconds until the step needs more than three decimals, then finer units. */
export function timeTicks(lo: number, hi: number, count: number): Ticks {
  const step = niceStep(hi - lo, count);
  const unit =
    step >= 1e6 ? TIME_UNITS[0] : step >= 1e3 ? TIME_UNITS[1] : step >= 1 ? TIME_UNITS[2] : TIME_UNITS[3];
  return inUnit(niceValues(lo, hi, count, 1), step, unit);
}

/** Marks for an axis of octets, in the unit that suits the top of the axis. */
export const octetTicks = scaled(OCTET_UNITS);

/** Marks for an axis of bit rates, in the unit that suits the top of the axis. */
export const rateTicks = scaled(RATE_UNITS);

/** Marks for an axis of whole things: segments, packets. */
export function countTicks(lo: number, hi: number, count: number, name: string): Ticks {
  const step = Math.max(1, niceStep(hi - lo, count));
  return inUnit(niceValues(lo, hi, count, 1), step, { name, size: 1 });
}

function scaled(units: readonly Unit[]) {
  return (lo: number, hi: number, count: number): Ticks => {
    const unit = units.find(({ size }) => hi >= size * 2) ?? units[units.length - 1];
    return inUnit(niceValues(lo, hi, count, 1), Math.max(1, niceStep(hi - lo, count)), unit);
  };
}

function inUnit(values: readonly number[], step: number, unit: Unit): Ticks {
  const decimals = decimalsFor(step / unit.size);
  return {
    unit: unit.name,
    marks: values.map((value) => ({ value, label: grouped((value / unit.size).toFixed(decimals)) })),
  };
}

/** Decimals that tell two neighbours on an axis of this step apart. */
export function decimalsFor(step: number): number {
  return Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
}
