/**
 * Computes intersect and except: the rows of the right side are counted by their identity, and the result rows come from the left side. If the
 * counts exceed the memory of the program, the operator counts no further keys: it spills the rows of other keys, of both sides, in parts, and
 * processes the parts one after the other.
 */

import type { Pending } from '#base';
import type { SetPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { KeyTable } from '../batch/key-table.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { batchRowsMax, Scratch } from '../batch/vector.ts';
import type { MemoryReservation } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { ProgramSpill } from '../spill/program-spill.ts';
import { type KeyedBatch, SpilledSides } from '../spill/spilled-sides.ts';
import type { Operator, QueryRun } from './operator.ts';

export class SetOperation implements Operator {
  readonly site: OperatorProfile;
  private readonly plan: SetPlan;
  private readonly left: Operator;
  private readonly right: Operator;
  private readonly run: QueryRun;
  private readonly reservation: MemoryReservation;
  /** Memory of the spilled parts. */
  private readonly spillHolding: MemoryReservation;
  private readonly scratch = new Scratch();
  private readonly others = new Scratch();
  private readonly numbers = new Int32Array(batchRowsMax);
  private keys: KeyTable;
  /**
   * The state of each key, by its number. For `all`: the number of right rows that are not used up yet. For `distinct`: 1 if a left row of this
   * key may still be returned.
   */
  private counts: number[] = [];
  private isCounted = false;
  /** Rows of keys that had no memory. */
  private parts: SpilledSides | undefined;
  /** Whether no further keys are counted. */
  private isFull = false;

  constructor(plan: SetPlan, inputs: readonly Operator[], run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.plan = plan;
    this.left = inputs[0] as Operator;
    this.right = inputs[1] as Operator;
    this.run = run;
    this.reservation = run.memory.reservation(site);
    this.spillHolding = run.memory.reservation(site);
    this.keys = new KeyTable(typesOf(plan), true);
  }

  open(): void {
    this.left.open();
    this.right.open();
    this.forget();
  }

  next(_wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const wait = this.isCounted ? undefined : this.countRight();
      if (wait !== undefined) return wait;
      const batch = this.read('left');
      if (batch instanceof Promise) return batch;
      if (batch === undefined) {
        const next = this.parts?.next() ?? false;
        if (next instanceof Promise) return next;
        if (!next) return undefined;
        this.startCount();
        continue;
      }
      const selection = this.scratch.take(batch.count);
      const count = this.select(batch, selection);
      if (count === 0) continue;
      this.site.rowsOut += count;
      return { columns: batch.columns, selection, count };
    }
  }

  close(): void {
    this.left.close();
    this.right.close();
    this.forget();
  }

  private forget(): void {
    this.parts?.close();
    this.parts = undefined;
    this.startCount();
    this.spillHolding.resize(0);
  }

  private startCount(): void {
    this.keys = new KeyTable(typesOf(this.plan), true);
    this.counts = [];
    this.isCounted = false;
    this.isFull = false;
    this.reservation.resize(0);
  }

  /** Returns the next rows of a side: of its input, or of the part that is being processed. */
  private read(side: 'left' | 'right'): Batch | undefined | Pending {
    const { parts } = this;
    if (parts?.isReading !== true) return parts?.crowded() ?? this[side].next(batchRowsMax);
    const wait = parts.crowded() ?? this.run.budget.pause(batchRowsMax);
    if (wait !== undefined) return wait;
    const rows = side === 'left' ? parts.readProbe() : parts.readHeld();
    return rows && { ...rows.batch, columns: rows.keys };
  }

  private countRight(): Pending | undefined {
    const { counts, numbers } = this;
    const isAll = this.plan.quantifier === 'all';
    const once = this.plan.kind === 'intersect' ? 1 : 0;
    for (;;) {
      const batch = this.read('right');
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.number(batch, !this.isFull);
      const others = this.others.take(batch.count);
      let count = 0;
      for (let i = 0; i < batch.count; i++) {
        const row = batch.selection[i] as number;
        const key = numbers[row] as number;
        if (key < 0) others[count++] = row;
        else counts[key] = isAll ? (counts[key] ?? 0) + 1 : once;
      }
      if (count > 0) this.spillOthers('addHeld', batch, count);
      this.makeRoom();
    }
    if (this.parts?.isReading !== true) this.right.close();
    this.isCounted = true;
    return undefined;
  }

  /** Writes the number of the key of each row to `numbers`; -1 for a key that is not in the table. */
  private number({ columns, selection, count }: Batch, adds: boolean): void {
    if (adds) this.keys.insert(columns, selection, count, this.numbers);
    else this.keys.find(columns, selection, count, this.numbers);
  }

  /** Stops counting further keys if the counts do not fit into memory. */
  private makeRoom(): void {
    const bytes = this.keys.bytes + this.counts.length * slotBytes;
    const { spill } = this.run.memory;
    if (this.parts !== undefined) this.spillHolding.resize(this.parts.bytes);
    if (this.isFull || spill === undefined || this.parts?.canPart === false) {
      this.reservation.resize(bytes);
    } else if (!this.reservation.fits(bytes)) {
      this.isFull = true;
      this.parts ??= this.newParts(spill);
    }
  }

  private newParts(spill: ProgramSpill): SpilledSides {
    const types = { rows: [], keys: typesOf(this.plan) };
    const keepsProbe = this.plan.kind === 'except';
    return new SpilledSides(types, types, { keepsProbe, keepsOneKey: false }, spill);
  }

  /** Spills the first `count` rows of `others`. */
  private spillOthers(add: 'addHeld' | 'addProbe', { columns }: Batch, count: number): void {
    const selection = this.others.take(count);
    const rows: KeyedBatch = { batch: { columns: [], selection, count }, keys: columns };
    this.parts?.[add](rows);
  }

  private select(batch: Batch, out: Uint32Array): number {
    // Only `except distinct` remembers left rows that the right side does not have.
    const adds = this.plan.kind === 'except' && this.plan.quantifier === 'distinct';
    this.number(batch, adds && !this.isFull);
    const others = this.others.take(batch.count);
    let [kept, spilled] = [0, 0];
    for (let i = 0; i < batch.count; i++) {
      const row = batch.selection[i] as number;
      const key = this.numbers[row] as number;
      if (key < 0 && this.isFull) others[spilled++] = row;
      else if (this.passes(key)) out[kept++] = row;
    }
    if (spilled > 0) this.spillOthers('addProbe', batch, spilled);
    if (adds || spilled > 0) this.makeRoom();
    return kept;
  }

  /** Returns whether a left row with this key is in the result, and updates the counts. */
  private passes(key: number): boolean {
    const { counts, plan } = this;
    if (plan.kind === 'except' && plan.quantifier === 'distinct') {
      const isNew = key >= counts.length;
      if (isNew) counts[key] = 0;
      return isNew;
    }
    const left = key < 0 ? 0 : (counts[key] as number);
    if (left > 0) counts[key] = left - 1;
    return plan.kind === 'intersect' ? left > 0 : left === 0;
  }
}

function typesOf(plan: SetPlan) {
  return plan.left.output.map((column) => column.type);
}
