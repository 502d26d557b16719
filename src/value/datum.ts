/** The run-time form of values. A datum does not contain its type: plans are typed, data are not. */

import type { IdentifierFormat } from './types.ts';

/** A value of type bytes. The identifier format belongs to the value but does not affect equality or order. */
export class ByteString {
  readonly bytes: Uint8Array;
  readonly format: IdentifierFormat | undefined;

  constructor(bytes: Uint8Array, format?: IdentifierFormat) {
    this.bytes = bytes;
    this.format = format;
  }
}

/**
 * A scalar or NULL. An int64 is a number if it is a safe integer, and otherwise a bigint (never a bigint in the safe range, never -0). A
 * float64 is a finite number. A text is a well-formed string.
 */
export type Scalar = null | string | number | bigint | boolean | ByteString;

/** A scalar, a row (its values in column order) or an array of rows. */
export type Datum = Scalar | readonly Datum[];

/** A row as values in column order. */
export type Row = readonly Datum[];
