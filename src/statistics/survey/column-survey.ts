/** The statistics of one column while its table is surveyed. The survey takes the values that were read, batch by batch. */

import type { Column } from '#catalog';
import { ByteString, comparatorOf, type Scalar } from '#value';
import { DistinctSketch } from '../sketch/distinct-sketch.ts';
import { MostCommon } from '../sketch/most-common.ts';
import { Reservoir } from '../sketch/reservoir.ts';
import { hashOf } from '../sketch/value-hash.ts';
import type { ColumnSynopsis } from '../synopsis/synopsis.ts';

/** Longer strings and byte strings are not collected as common values. */
const commonBytesMax = 256;
/** Maximum length of a string that is used as a bound, in characters. */
const boundLength = 64;
/** The number that represents NULL among the hashes of values. */
export const nullHash = -1;

/** Values of one column in a batch, by position. */
export type Values = ArrayLike<Scalar>;

export class ColumnSurvey {
  readonly column: Column;
  /** Hashes of the last batch, by position, for groups of columns. */
  hashes = new Float64Array(0);
  private readonly distinct = new DistinctSketch();
  private readonly common = new MostCommon<Scalar>();
  private readonly ranges: Reservoir<Scalar>;
  private readonly compare: (left: Scalar, right: Scalar) => number;
  private readonly hasRanges: boolean;
  private nulls = 0;
  private values = 0;
  private bytes = 0;
  private minimum: Scalar = null;
  private maximum: Scalar = null;

  /** `unit` returns random numbers in [0, 1). */
  constructor(column: Column, unit: () => number) {
    this.column = column;
    this.ranges = new Reservoir(unit);
    this.compare = comparatorOf(column.type);
    this.hasRanges = column.type !== 'bool' && column.type !== 'bytes';
  }

  take(values: Values, count: number, piece: number): void {
    if (this.hashes.length < count) this.hashes = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const value = values[i] as Scalar;
      if (value === null) {
        this.nulls++;
        this.hashes[i] = nullHash;
      } else {
        this.hashes[i] = this.takeValue(value, piece);
      }
    }
  }

  /** Returns the statistics. `share` is the share of the table's rows that were read. */
  synopsis(share: number): ColumnSynopsis {
    const { column, distinct, values } = this;
    return {
      column: column.id,
      physicalId: column.physicalId,
      nulls: this.nulls,
      distinct: distinct.count,
      distinctIsExact: distinct.isExact,
      distinctInTable: distinct.inAll(share),
      averageWidth: values === 0 ? 0 : Math.round(this.bytes / values),
      minimum: this.minimum ?? undefined,
      maximum: this.maximum ?? undefined,
      mostCommon: this.common.values,
      bounds: this.ranges.bounds(this.compare),
    };
  }

  /** Takes a value that occurs in the table, even if its row was not read. The value affects only the minimum and maximum. */
  reach(value: NonNullable<Scalar>): void {
    if (!this.hasRanges && widthOf(value) > commonBytesMax) return;
    this.widen(typeof value === 'string' ? value.slice(0, boundLength) : value);
  }

  private takeValue(value: NonNullable<Scalar>, piece: number): number {
    const hash = hashOf(value);
    const width = widthOf(value);
    this.values++;
    this.bytes += width;
    this.distinct.add(hash, piece);
    if (!this.common.count(hash) && width <= commonBytesMax) this.common.add(hash, value);
    const bound = typeof value === 'string' ? value.slice(0, boundLength) : value;
    if (this.hasRanges) this.ranges.add(bound);
    if (this.hasRanges || width <= commonBytesMax) this.widen(bound);
    return hash;
  }

  private widen(value: Scalar): void {
    if (this.minimum === null || this.compare(value, this.minimum) < 0) this.minimum = value;
    if (this.maximum === null || this.compare(value, this.maximum) > 0) this.maximum = value;
  }
}

/** Returns the approximate size in bytes: each character counts as one. */
function widthOf(value: NonNullable<Scalar>): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof ByteString) return value.bytes.length;
  return typeof value === 'boolean' ? 1 : 8;
}
