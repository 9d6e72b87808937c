import { lowerBound, upperBound } from '../lib/search';
import { MinMaxPyramid } from '../lib/pyramid';
import { Verdict, type Direction, type Series, type TablePath, type Tables } from './types';

/** Rows of the data table that share something, in order of time, with what drawing and searching them needs. */
export interface Subset {
  readonly rows: Uint32Array;
  readonly t: Float64Array;
}

/** A value over time: each holds from its instant until the next. */
export interface Steps {
  readonly t: Float64Array;
  readonly values: Float64Array;
}

/** What is worked out once per run, or window of one, so that drawing and hovering need only binary searches. */
export class RunIndex {
  readonly series: Series;
  /** Whether every row of its stretch of time is here. */
  readonly exact: boolean;
  /** Whether every row of the run is here. */
  readonly whole: boolean;
  /** Rows by verdict. Originals ascend in offset as well as in time. */
  readonly byVerdict: readonly Subset[];
  /** Rows that the link dropped. */
  readonly dropped: Subset;
  /** Offsets of the originals. */
  readonly originalSeq: Float64Array;
  /** The largest payload: the segment size of the run. */
  readonly segmentSize: number;
  /** The longest time any data segment was under way, ns. */
  readonly longestPassage: number;
  /** The octet after the last one sent. */
  readonly dataEnd: number;
  /** The link's rate by direction, bit/s; zero where a trace has no opportunity. */
  readonly rates: readonly [Steps, Steps];
  /** The link's propagation delay by direction, ns, where it changes; below zero while each packet draws its own. */
  readonly delays: readonly [Steps, Steps];
  /** Whether acknowledgements tell a receive window, as TCP's do. */
  readonly tellsWindows: boolean;
  /** Greatest and least values over ranges of a column. */
  readonly pyramids: ReadonlyMap<Float64Array, MinMaxPyramid>;

  /** `overview` is the index of the whole run where this is a window of it: what is the run's comes from there. */
  constructor(series: Series, overview: RunIndex | null = null) {
    this.series = series;
    const { data, window } = series;
    this.exact = window === null || [...window.shares.values()].every(({ rows, given }) => given === rows);
    this.whole = this.exact && (window === null || (window.from <= 0 && window.to > series.duration));
    this.byVerdict = Object.values(Verdict).map((verdict) =>
      subset(series, (i) => data.verdict[i] === verdict),
    );
    this.dropped = subset(series, (i) => data.drop[i] >= 0);
    const originals = this.byVerdict[Verdict.Original].rows;
    this.originalSeq = Float64Array.from(originals, (row) => data.seq[row]);
    let size = overview?.segmentSize ?? 1;
    let passage = 0;
    let end = overview?.dataEnd ?? 0;
    for (let i = 0; i < data.length; i++) {
      size = Math.max(size, data.len[i]);
      end = Math.max(end, data.seq[i] + data.len[i]);
      if (data.arrived[i] >= 0) passage = Math.max(passage, data.arrived[i] - data.t[i]);
    }
    this.segmentSize = size;
    this.longestPassage = passage;
    this.dataEnd = end;
    const { state, acks, link } = series;
    const columns = [
      data.seq,
      this.originalSeq,
      acks.ack,
      acks.edge,
      state.cwnd,
      state.ssthresh,
      state.flight,
      state.srtt,
    ];
    this.tellsWindows = overview?.tellsWindows ?? acks.edge.some((edge, i) => edge > acks.ack[i]);
    this.rates = [ratesOf(link.rates, 0), ratesOf(link.rates, 1)];
    this.delays = [delaysOf(link.delays, 0), delaysOf(link.delays, 1)];
    columns.push(...[...this.rates, ...this.delays].map(({ values }) => values));
    columns.push(state.rttvar, state.rto, link.queue.down.packets, link.queue.up.packets);
    this.pyramids = new Map(
      columns.map((column) => [column, overview?.pyramids.get(column) ?? new MinMaxPyramid(column)]),
    );
  }

  /** The pyramid of a column of this run. */
  pyramid(column: Float64Array): MinMaxPyramid {
    const pyramid = this.pyramids.get(column);
    if (!pyramid) throw new Error('this column has no pyramid');
    return pyramid;
  }

  /** How many rows a table has in the stretch of time that this is about, given or not. */
  count(table: TablePath, given: number): number {
    return this.series.window?.shares.get(table)?.rows ?? given;
  }

  /** Whether every row of a table is here. */
  hasAll(table: TablePath): boolean {
    const share = this.series.window?.shares.get(table);
    return share === undefined || share.given === share.rows;
  }

  /** The number of a segment in its stream, from 1, by the offset of its first octet; `null` where not all are here. */
  segmentNumber(offset: number): number | null {
    return this.whole ? Math.max(1, upperBound(this.originalSeq, offset)) : null;
  }

  /** The row that first carried this octet; -1 if none that is here did. */
  originalOf(offset: number): number {
    const position = upperBound(this.originalSeq, offset) - 1;
    if (position < 0) return -1;
    const { data } = this.series;
    const row = this.byVerdict[Verdict.Original].rows[position];
    return offset < data.seq[row] + Math.max(1, data.len[row]) ? row : -1;
  }

  /** The row of the segment that was sent then and begins with this octet; -1 if it is not here. */
  rowOf(t: number, seq: number): number {
    const { data } = this.series;
    for (let row = lowerBound(data.t, t); row < data.length && data.t[row] === t; row++) {
      if (data.seq[row] === seq) return row;
    }
    return -1;
  }

  /** Rows that carried this octet, in order of time. */
  copiesOf(offset: number): number[] {
    const { data } = this.series;
    const copies: number[] = [];
    for (const verdict of Object.values(Verdict)) {
      if (verdict === Verdict.Original) {
        const row = this.originalOf(offset);
        if (row >= 0) copies.push(row);
        continue;
      }
      for (const row of this.byVerdict[verdict].rows) {
        if (data.seq[row] <= offset && offset < data.seq[row] + data.len[row]) copies.push(row);
      }
    }
    return copies.sort((a, b) => a - b);
  }

  /** Positions `[from, to)` of a subset with times in `[t0, t1]`. */
  static within(of: Subset, t0: number, t1: number): readonly [number, number] {
    return [lowerBound(of.t, t0), upperBound(of.t, t1)];
  }
}

function ratesOf({ length, t, direction, bps }: Tables['link']['rates'], which: Direction): Steps {
  const rows = Array.from({ length }, (_, i) => i).filter((i) => direction[i] === which);
  return {
    t: Float64Array.from(rows, (i) => t[i]),
    values: Float64Array.from(rows, (i) => Math.max(0, bps[i])),
  };
}

function delaysOf(
  { length, t, direction, delay, delay_before: before }: Tables['link']['delays'],
  which: Direction,
): Steps {
  const rows = Array.from({ length }, (_, i) => i).filter((i) => direction[i] === which);
  if (rows.length === 0) return { t: new Float64Array(), values: new Float64Array() };
  // Until the first change that is here it was what that change ended.
  return {
    t: Float64Array.from([Math.min(0, t[rows[0]]), ...rows.map((i) => t[i])]),
    values: Float64Array.from([before[rows[0]], ...rows.map((i) => delay[i])]),
  };
}

function subset(series: Series, belongs: (row: number) => boolean): Subset {
  const { data } = series;
  let count = 0;
  for (let i = 0; i < data.length; i++) if (belongs(i)) count++;
  const rows = new Uint32Array(count);
  for (let i = 0, next = 0; i < data.length; i++) if (belongs(i)) rows[next++] = i;
  return { rows, t: Float64Array.from(rows, (row) => data.t[row]) };
}
