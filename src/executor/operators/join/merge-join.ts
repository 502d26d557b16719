/**
 * Joins two inputs that arrive in the order of their keys, if one of them has at most one row of a key. Both are read once, and no rows are
 * buffered beyond a batch. The columns of the streaming side are passed on unchanged.
 */

import type { Pending } from '#base';
import type { MergeJoinPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { PlacedColumn } from '../../batch/placed-column.ts';
import { batchRowsMax, type Vector } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { MergeSides } from './merge-sides.ts';

/** Processing a batch of the streaming side takes about as long as processing this many rows. */
const workOfBatch = 256;
const noValues: Vector = [];

export class MergeJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly isOuter: boolean;
  private readonly width: number;
  private readonly sides: MergeSides;
  private readonly columns: readonly PlacedColumn[];
  /** The batch of the streaming side, and the index in its selection of the next row. */
  private batch: Batch | undefined;
  private at = 0;
  /** The matching row of the other side's batch for each position in `batch`, or -1 if there is none. */
  private readonly partners = new Int32Array(batchRowsMax);
  /** Positions in `batch` of the joined rows; the other side's columns are complete for the first `placed` of them. */
  private readonly selection = new Uint32Array(batchRowsMax);
  private count = 0;
  private placed = 0;
  private hasUnmatched = false;

  constructor(
    plan: MergeJoinPlan,
    inputs: readonly Operator[],
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.isOuter = plan.join === 'left';
    this.width = plan.output.length;
    this.sides = new MergeSides(plan, inputs);
    this.columns = this.sides.heldRead.map(() => new PlacedColumn());
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.sides.narrowTo(columnIndexes);
  }

  open(): void {
    this.sides.open();
    this.batch = undefined;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const wait = this.batch === undefined ? this.read(wanted) : undefined;
      if (wait !== undefined) return wait;
      if (this.batch === undefined) return undefined;
      const pending = this.match(this.batch);
      if (pending !== undefined) return pending;
      const joined = this.joined(this.batch);
      this.batch = undefined;
      if (joined !== undefined) return joined;
    }
  }

  close(): void {
    this.sides.close();
  }

  /** Reads the next batch of the streaming side; afterwards `batch` is undefined if no further row can match. */
  private read(wanted: number): Pending | undefined {
    if (this.sides.isDone && !this.isOuter) return undefined;
    const pause = this.run.budget.pause(workOfBatch);
    if (pause !== undefined) return pause;
    const batch = this.sides.next(wanted);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.at = 0;
    this.count = 0;
    this.placed = 0;
    this.hasUnmatched = false;
    return undefined;
  }

  /** Matches the rows of the streaming batch. After a wait, call it again. */
  private match(batch: Batch): Pending | undefined {
    const { sides } = this;
    while (this.at < batch.count) {
      const wait = sides.advance();
      if (wait !== undefined) return wait;
      if (sides.batch === undefined) {
        this.passUnmatched(batch, batch.count);
        this.place(noHeld);
        return undefined;
      }
      const numbers = sides.keys.numbers();
      if (numbers === undefined) this.matchValues(batch, sides.batch);
      else this.matchNumbers(batch, sides.batch, numbers);
      this.place(sides.batch);
    }
    return undefined;
  }

  private matchNumbers(
    batch: Batch,
    held: Batch,
    [keys, heldKeys]: readonly [Float64Array, Float64Array],
  ): void {
    const { isOuter, partners, selection, sides } = this;
    const lastHeld = heldKeys[held.selection[held.count - 1] as number] as number;
    if (lastHeld < (keys[batch.selection[this.at] as number] as number)) {
      sides.at = held.count;
      return;
    }
    let { at, count } = this;
    let heldAt = sides.at;
    let isWhole = true;
    while (at < batch.count && heldAt < held.count) {
      const row = batch.selection[at] as number;
      const heldRow = held.selection[heldAt] as number;
      const key = keys[row] as number;
      const heldKey = heldKeys[heldRow] as number;
      if (key === heldKey) {
        partners[row] = heldRow;
        selection[count++] = row;
        at++;
      } else if (key > heldKey) {
        heldAt++;
      } else {
        if (isOuter) {
          partners[row] = -1;
          selection[count++] = row;
          isWhole = false;
        }
        at++;
      }
    }
    this.at = at;
    this.count = count;
    sides.at = heldAt;
    if (!isWhole) this.hasUnmatched = true;
  }

  private matchValues(batch: Batch, held: Batch): void {
    const { sides } = this;
    while (this.at < batch.count && sides.at < held.count) {
      const row = batch.selection[this.at] as number;
      const heldRow = held.selection[sides.at] as number;
      const order = sides.keys.compare(row, heldRow);
      if (order > 0) {
        sides.at++;
      } else if (order < 0) {
        this.passUnmatched(batch, this.at + 1);
      } else {
        this.partners[row] = heldRow;
        this.selection[this.count++] = row;
        this.at++;
      }
    }
  }

  /** Treats the rows of the streaming side up to index `to` as unmatched. */
  private passUnmatched(batch: Batch, to: number): void {
    if (this.isOuter) {
      this.hasUnmatched ||= this.at < to;
      for (let i = this.at; i < to; i++) {
        const row = batch.selection[i] as number;
        this.partners[row] = -1;
        this.selection[this.count++] = row;
      }
    }
    this.at = to;
  }

  /** Copies the other side's columns for the rows that were joined since the last call, before its batch becomes invalid. */
  private place(held: Pick<Batch, 'columns'>): void {
    const { columns, count, partners, placed, selection, sides } = this;
    if (placed === count) return;
    for (const c of sides.heldRead) {
      const from = held.columns[c] ?? noValues;
      (columns[c] as PlacedColumn).put(
        from,
        partners,
        selection,
        [placed, count],
        this.hasUnmatched,
      );
    }
    this.placed = count;
  }

  private joined(batch: Batch): Batch | undefined {
    const { count, selection, sides, width } = this;
    if (count === 0) return undefined;
    const columns: Vector[] = new Array(width).fill(noValues);
    for (let c = 0; c < batch.columns.length; c++) {
      columns[sides.streamStart + c] = batch.columns[c] as Vector;
    }
    for (const c of sides.heldRead) {
      columns[sides.heldStart + c] = (this.columns[c] as PlacedColumn).vector;
    }
    this.site.rowsOut += count;
    return { columns, selection, count, sources: this.sourcesOf(batch) };
  }

  private sourcesOf({ columns, sources }: Batch): Batch['sources'] {
    if (sources === undefined) return undefined;
    const { streamStart } = this.sides;
    const all: (typeof sources)[number][] = new Array(this.width).fill(undefined);
    for (let c = 0; c < columns.length; c++) all[streamStart + c] = sources[c];
    return all;
  }
}

const noHeld = { columns: [] };
