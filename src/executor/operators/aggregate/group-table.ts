/** Groups in memory: their numbered keys, and the states of their folds. */

import type { Pending } from '#base';
import type { AggregatePlan } from '#planner';
import type { DatumType } from '#value';
import { KeyTable } from '../../batch/key-table.ts';
import { slotBytes } from '../../batch/memory-costs.ts';
import { RowStore } from '../../batch/row-store.ts';
import { sourcedColumn, type ValueSource } from '../../batch/value-source.ts';
import {
  batchRowsMax,
  type Datums,
  Scratch,
  type Selection,
  type Vector,
} from '../../batch/vector.ts';
import type { Fold } from './fold.ts';
import { foldOf } from './fold-of.ts';

/** Bytes of one fold in one group: its state, two numbers at most in arrays that double when they grow, and its result. */
const groupBytes = 3 * slotBytes;

/** Input rows: the keys of their groups, as columns with `sources` that may be without values, and, for each fold, the values to fold (undefined for a count of rows). */
export interface GroupInput {
  readonly keys: readonly Vector[];
  readonly values: readonly (Vector | undefined)[];
  readonly selection: Selection;
  readonly count: number;
  readonly sources: readonly (ValueSource | undefined)[] | undefined;
}

export class GroupTable {
  private readonly isGlobal: boolean;
  private readonly groups: KeyTable;
  /** The key of each group. */
  private readonly keys: RowStore;
  private readonly folds: readonly Fold[];
  /** The results of each fold for the finished groups. */
  private readonly results: readonly Datums[];
  private finished = 0;
  private readonly numbers: Int32Array;
  private readonly scratch: Scratch;

  /** `former` must not be used any more: its buffers are reused. */
  constructor(plan: AggregatePlan, former?: GroupTable) {
    const types: readonly DatumType[] = plan.groups.map((group) => group.type);
    this.isGlobal = plan.isGlobal;
    this.groups = new KeyTable(types, true);
    this.keys = new RowStore(types);
    this.folds = plan.folds.map(foldOf);
    this.results = this.folds.map(() => []);
    // A global aggregate has only group 0: the numbers are zero from the start.
    this.numbers = former?.numbers ?? new Int32Array(batchRowsMax);
    this.scratch = former?.scratch ?? new Scratch();
  }

  get size(): number {
    return this.isGlobal ? 1 : this.groups.size;
  }

  get bytes(): number {
    let bytes = this.groups.bytes + this.keys.bytes;
    for (const fold of this.folds) bytes += this.size * groupBytes + fold.valueBytes;
    return bytes;
  }

  add(input: GroupInput): void {
    if (!this.isGlobal) this.number(input);
    this.feed(input.values, input.selection, input.count);
  }

  /** Folds the rows of existing groups; writes the other rows to `others` and returns their number. */
  addKnown({ keys, values, selection, count }: GroupInput, others: Uint32Array): number {
    const { numbers } = this;
    this.groups.find(keys, selection, count, numbers);
    const known = this.scratch.take(count);
    let knownCount = 0;
    let otherCount = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if ((numbers[row] as number) >= 0) known[knownCount++] = row;
      else others[otherCount++] = row;
    }
    if (knownCount > 0) this.feed(values, known, knownCount);
    return otherCount;
  }

  /** Computes the results of every group, `rowsMax` groups per step. After a wait, call it again. */
  finish(rowsMax: number, pause: (rows: number) => Pending | undefined): Pending | undefined {
    while (this.finished < this.size) {
      const wait = pause(batchRowsMax);
      if (wait !== undefined) return wait;
      const to = Math.min(this.size, this.finished + rowsMax);
      for (let f = 0; f < this.folds.length; f++) {
        (this.folds[f] as Fold).finish(this.finished, to, this.results[f] as Datums);
      }
      this.finished = to;
    }
    return undefined;
  }

  /** Returns the finished groups [from, to): keys, then results. */
  window(from: number, to: number): Vector[] {
    const results = this.results.map((column) => column.slice(from, to));
    return [...this.keys.window(from, to), ...results];
  }

  private number(input: GroupInput): void {
    const { groups, numbers } = this;
    const { keys, selection, count, sources } = input;
    const known = groups.size;
    groups.insert(keys, selection, count, numbers, sources);
    if (groups.size === known) return;
    const fresh = this.scratch.take(count);
    let freshCount = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if (numbers[row] === known + freshCount) fresh[freshCount++] = row;
    }
    const columns = keysOf(input, fresh, freshCount);
    this.keys.append({ columns, selection: fresh, count: freshCount });
  }

  private feed(values: GroupInput['values'], selection: Selection, count: number): void {
    for (let f = 0; f < this.folds.length; f++) {
      (this.folds[f] as Fold).update(values[f], this.numbers, selection, count, this.size);
    }
  }
}

/** Returns the keys of the selected rows, with the values that only their sources have. */
export function keysOf(
  { keys, sources }: GroupInput,
  selection: Selection,
  count: number,
): readonly Vector[] {
  if (sources === undefined) return keys;
  return keys.map((column, k) => sourcedColumn(column, sources[k], selection, count, []));
}
