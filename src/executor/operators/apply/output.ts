/** The output modes of an apply operator: each computes a value from the inner rows of one outer row. */

import { fail } from '#failure';
import type { CrossingKind } from '#lir';
import type { CrossingPlan } from '#planner';
import type { Datum, DatumType, Row } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { datumBytes, rememberBytes, rowBytes } from '../../batch/datum-bytes.ts';
import { objectBytes, slotBytes } from '../../batch/memory-costs.ts';
import { rowAt, vectorBytes } from '../../batch/row-store.ts';
import { batchRowsMax, type Datums, type Vector } from '../../batch/vector.ts';
import { portionBytes } from '../batch-splitter.ts';
import type { Span } from '../join/join-output.ts';

/** Computes one value after the other. */
export interface Output<V> {
  /** Number of inner rows that the value needs at most. */
  readonly wanted: number;
  /** Whether values stay in use until the next batch of outer rows, instead of until the next value. */
  readonly isKept: boolean;
  /** Bytes of memory of the value since `begin`. */
  readonly bytes: number;
  /** Whether the value has as many rows as one part may have. */
  readonly isFull: boolean;
  /** Is called before the first value of a run. */
  open(): void;
  begin(): void;
  /** Adds the selected rows [from, to) of `batch`. */
  take(batch: Batch, from: number, to: number): void;
  end(): V;
}

/** Returns the first row, its only cell, or whether a row exists. */
class OneRow implements Output<Datum> {
  readonly wanted = 1;
  readonly isKept = true;
  readonly isFull = false;
  private readonly kind: CrossingKind;
  private value: Datum = null;
  private isFound = false;

  constructor(kind: CrossingKind) {
    this.kind = kind;
  }

  get bytes(): number {
    return datumBytes(this.value);
  }

  open(): void {}

  begin(): void {
    this.value = this.kind === 'exists' ? false : null;
    this.isFound = false;
  }

  take({ columns, selection }: Batch, from: number): void {
    if (this.isFound) return;
    this.isFound = true;
    const at = selection[from] as number;
    if (this.kind === 'exists') this.value = true;
    else if (this.kind === 'first') this.value = rowAt(columns, at);
    else this.value = (columns[0] as Vector)[at] as Datum;
  }

  end(): Datum {
    return this.value;
  }
}

/** Returns the only cell of the only row; a second row is an error. */
class CheckedCell implements Output<Datum> {
  readonly wanted = 2;
  readonly isKept = true;
  readonly isFull = false;
  private value: Datum = null;
  private isFound = false;

  get bytes(): number {
    return datumBytes(this.value);
  }

  open(): void {}

  begin(): void {
    this.value = null;
    this.isFound = false;
  }

  take({ columns, selection }: Batch, from: number, to: number): void {
    if (from === to) return;
    if (this.isFound || to - from > 1) {
      throw fail('cardinality_violation', 'a scalar crossing found more than one row');
    }
    this.isFound = true;
    this.value = (columns[0] as Vector)[selection[from] as number] as Datum;
  }

  end(): Datum {
    return this.value;
  }
}

/** Returns all rows as an array. */
class RowList implements Output<Datum> {
  readonly wanted = batchRowsMax;
  readonly isKept = true;
  readonly isFull = false;
  bytes = 0;
  private rows: Row[] = [];

  open(): void {}

  begin(): void {
    this.rows = [];
    this.bytes = objectBytes;
  }

  take({ columns, selection }: Batch, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const row = rowAt(columns, selection[i] as number);
      this.bytes += slotBytes + rowBytes(row);
      this.rows.push(row);
    }
  }

  end(): Datum {
    rememberBytes(this.rows, this.bytes);
    return this.rows;
  }
}

export function crossingOutput({ kind, isChecked }: CrossingPlan): Output<Datum> {
  if (kind === 'array') return new RowList();
  return isChecked ? new CheckedCell() : new OneRow(kind);
}

/** Returns rows for a join, as columns that only grow: earlier values are not changed. */
export class RowSpan implements Output<Span> {
  readonly wanted = batchRowsMax;
  readonly isKept = false;
  bytes = 0;
  private readonly types: readonly DatumType[];
  private columns: readonly Datums[] = [];
  /** Bytes of all values in `columns` without the unfinished one. */
  private columnsBytes = 0;
  private from = 0;
  private to = 0;

  constructor(types: readonly DatumType[]) {
    this.types = types;
  }

  get isFull(): boolean {
    return this.to - this.from >= batchRowsMax || this.bytes >= portionBytes;
  }

  open(): void {
    const isRoomy = this.to < batchRowsMax && this.columnsBytes + this.bytes < portionBytes;
    if (isRoomy && this.columns.length === this.types.length) return;
    this.columns = this.types.map(() => []);
    this.columnsBytes = 0;
    this.bytes = 0;
    this.to = 0;
  }

  begin(): void {
    this.from = this.to;
    this.columnsBytes += this.bytes;
    this.bytes = objectBytes;
  }

  take(batch: Batch, from: number, to: number): void {
    for (let c = 0; c < this.columns.length; c++) {
      const values = batch.columns[c] as Vector;
      const column = this.columns[c] as Datums;
      for (let i = from; i < to; i++) column.push(values[batch.selection[i] as number] as Datum);
      this.bytes += vectorBytes(this.types[c] as DatumType, column, this.to);
    }
    this.to += to - from;
  }

  end(): Span {
    return { columns: this.columns, from: this.from, to: this.to };
  }
}
