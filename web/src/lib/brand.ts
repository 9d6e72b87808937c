/** Numbers that carry their unit in the type. Arithmetic gives a plain number; a cast says what it is now. */
declare const unit: unique symbol;

type Branded<U extends string> = number & { readonly [unit]: U };

/** Nanoseconds since the start of the run (or a span of them); whole, and exact up to 104 days. */
export type Ns = Branded<'ns'>;
/** An offset in the octet stream from 0, or a number of octets. */
export type Octets = Branded<'octets'>;
/** CSS pixels, not those of the canvas' backing store. */
export type CssPx = Branded<'css-px'>;

/** Marks a number as nanoseconds. */
export const ns = (value: number): Ns => value as Ns;
/** Marks a number as octets. */
export const octets = (value: number): Octets => value as Octets;
/** Marks a number as CSS pixels. */
export const px = (value: number): CssPx => value as CssPx;
