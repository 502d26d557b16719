/**
 * Returns the first row of each identity class, in order of arrival. Rows that exceed the memory of the program are spilled and processed in
 * parts.
 */

import type { Pending } from '#base';
import type { DistinctPlan } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../batch/batch.ts';
import { KeyTable } from '../batch/key-table.ts';
import { batchRowsMax, Scratch } from '../batch/vector.ts';
import type { MemoryReservation } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { PartQueue } from '../spill/part-queue.ts';
import type { Operator, QueryRun } from './operator.ts';

export class Distinct implements Operator {
  readonly site: OperatorProfile;
  private readonly input: Operator;
  private readonly types: readonly DatumType[];
  private readonly run: QueryRun;
  private readonly reservation: MemoryReservation;
  /** Memory of the spilled rows. */
  private readonly spillHolding: MemoryReservation;
  private readonly scratch = new Scratch();
  private readonly numbers = new Int32Array(batchRowsMax);
  private seen: KeyTable;
  /** Rows that `seen` had no memory for. */
  private parts: PartQueue | undefined;
  /** Whether `seen` accepts no more rows. */
  private isFull = false;

  constructor(plan: DistinctPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.input = input;
    this.run = run;
    this.types = plan.output.map((column) => column.type);
    this.reservation = run.memory.reservation(site);
    this.spillHolding = run.memory.reservation(site);
    this.seen = new KeyTable(this.types, true);
  }

  open(): void {
    this.input.open();
    this.forget();
  }

  next(_wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const batch = this.parts?.isReading === true ? this.readPart(this.parts) : this.readInput();
      if (batch instanceof Promise) return batch;
      if (batch === undefined) {
        const next = this.parts?.next() ?? false;
        if (next instanceof Promise) return next;
        if (!next) return undefined;
        this.seen = new KeyTable(this.types, true);
        this.isFull = false;
        continue;
      }
      const selection = this.scratch.take(batch.count);
      const count = this.isFull
        ? this.spillNew(batch, selection)
        : selectNew(this.seen, batch, this.numbers, selection);
      this.makeRoom();
      if (count === 0) continue;
      this.site.rowsOut += count;
      return { columns: batch.columns, selection, count, sources: batch.sources };
    }
  }

  close(): void {
    this.input.close();
    this.forget();
  }

  private readInput(): Batch | undefined | Pending {
    return this.parts?.crowded() ?? this.input.next(batchRowsMax);
  }

  private readPart(parts: PartQueue): Batch | undefined | Pending {
    return parts.crowded() ?? this.run.budget.pause(batchRowsMax) ?? parts.read();
  }

  /** Spills the rows that might be new; none of them is returned yet. */
  private spillNew({ columns, selection, count }: Batch, scratch: Uint32Array): number {
    this.seen.find(columns, selection, count, this.numbers);
    let others = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if ((this.numbers[row] as number) < 0) scratch[others++] = row;
    }
    this.parts?.add(columns, columns, scratch, others);
    return 0;
  }

  private makeRoom(): void {
    const { bytes } = this.seen;
    if (this.parts !== undefined) this.spillHolding.resize(this.parts.bytes);
    const { spill } = this.run.memory;
    if (this.isFull || spill === undefined || this.parts?.canPart === false) {
      this.reservation.resize(bytes);
    } else if (!this.reservation.fits(bytes)) {
      this.isFull = true;
      this.parts ??= new PartQueue(this.types, spill);
    }
  }

  private forget(): void {
    if (this.seen.size === 0 && this.parts === undefined) return;
    this.parts?.close();
    this.parts = undefined;
    this.isFull = false;
    this.seen = new KeyTable(this.types, true);
    this.reservation.resize(0);
    this.spillHolding.resize(0);
  }
}

/** Adds the rows of `batch` to `seen`; writes to `out` the rows that were not in it, and returns their number. */
export function selectNew(
  seen: KeyTable,
  batch: Batch,
  numbers: Int32Array,
  out: Uint32Array,
): number {
  let known = seen.size;
  seen.insert(batch.columns, batch.selection, batch.count, numbers, batch.sources);
  let kept = 0;
  for (let i = 0; i < batch.count; i++) {
    const row = batch.selection[i] as number;
    if ((numbers[row] as number) < known) continue;
    known++;
    out[kept++] = row;
  }
  return kept;
}
