/** The two inputs of a merge join: a streaming side, and a buffered side, whose matching rows are added to the rows of the stream. */

import type { Pending } from '#base';
import type { MergeJoinPlan } from '#planner';
import type { ScalarType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { Operator } from '../operator.ts';
import { MergeKeys } from './merge-keys.ts';

export class MergeSides {
  readonly keys: MergeKeys;
  /** First column index of each side in the joined row. */
  readonly streamStart: number;
  readonly heldStart: number;
  /** Columns of the buffered side that an operator above reads, by their index on that side. */
  heldRead: readonly number[];
  /** The current batch of the buffered side, and the index in its selection. */
  batch: Batch | undefined;
  at = 0;
  /** Whether the buffered side is exhausted. */
  isDone = false;
  private readonly stream: Operator;
  private readonly held: Operator;
  private readonly streamKeys: readonly number[];
  private readonly heldKeys: readonly number[];

  constructor(plan: MergeJoinPlan, [left, right]: readonly Operator[]) {
    const { leftKeys, rightKeys } = plan;
    const isLeft = plan.held === 'left';
    const width = plan.left.output.length;
    this.stream = (isLeft ? right : left) as Operator;
    this.held = (isLeft ? left : right) as Operator;
    this.streamKeys = isLeft ? rightKeys : leftKeys;
    this.heldKeys = isLeft ? leftKeys : rightKeys;
    this.streamStart = isLeft ? width : 0;
    this.heldStart = isLeft ? 0 : width;
    this.heldRead = (isLeft ? plan.left : plan.right).output.map((_, c) => c);
    const types = leftKeys.map(
      (columnIndex) => plan.left.output[columnIndex]?.type.kind as ScalarType,
    );
    this.keys = new MergeKeys(types, this.streamKeys, this.heldKeys);
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.heldRead = this.heldRead.filter((c) => columnIndexes.has(this.heldStart + c));
    const below = (from: number, keys: readonly number[]) =>
      new Set([...keys, ...[...columnIndexes].map((columnIndex) => columnIndex - from)]);
    this.stream.narrowTo?.(below(this.streamStart, this.streamKeys));
    this.held.narrowTo?.(below(this.heldStart, this.heldKeys));
  }

  open(): void {
    this.stream.open();
    this.held.open();
    this.batch = undefined;
    this.at = 0;
    this.isDone = false;
  }

  close(): void {
    this.stream.close();
    this.held.close();
  }

  /** Returns the next batch of the streaming side. */
  next(wanted: number): Batch | undefined | Pending {
    const batch = this.stream.next(wanted);
    if (batch !== undefined && !(batch instanceof Promise)) this.keys.ofStream(batch);
    return batch;
  }

  /** Makes sure that the buffered side has a row at `at`, unless `isDone`. Its previous batch becomes invalid. */
  advance(): Pending | undefined {
    while (!this.isDone && (this.batch === undefined || this.at >= this.batch.count)) {
      this.batch = undefined;
      const batch = this.held.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      this.isDone = batch === undefined;
      this.batch = batch;
      this.at = 0;
      if (batch !== undefined) this.keys.ofHeld(batch);
    }
    return undefined;
  }
}
