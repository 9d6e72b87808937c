import type { CssPx } from './brand';

/** A linear map from a domain (time, octets, packets) to CSS pixels. Immutable; extrapolates beyond both ends. */
export class LinearScale<D extends number> {
  readonly d0: D;
  readonly d1: D;
  readonly r0: CssPx;
  readonly r1: CssPx;
  /** Pixels for one unit of the domain. */
  readonly slope: number;

  /** `d0` maps to `r0`, `d1` to `r1`. An empty domain is widened to one unit, so that the map stays finite. */
  constructor(d0: D, d1: D, r0: CssPx, r1: CssPx) {
    this.d0 = d0;
    this.d1 = d1 === d0 ? ((d0 + 1) as D) : d1;
    this.r0 = r0;
    this.r1 = r1;
    this.slope = (r1 - r0) / (this.d1 - d0);
  }

  /** Where a value stands. */
  toPx(value: D): CssPx {
    return (this.r0 + (value - this.d0) * this.slope) as CssPx;
  }

  /** Which value stands there. */
  fromPx(position: CssPx): D {
    return (this.d0 + (position - this.r0) / this.slope) as D;
  }
}
