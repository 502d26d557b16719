/**
 * The rows that a recursion has found, in their order. If it keeps no duplicates, a table in memory knows the rows. Once the table does not fit,
 * the new rows of an iteration are collected instead, and compared with all rows on disk in one pass. A filter in memory makes the pass
 * unnecessary for rows that have certainly not been found.
 */

import type { Pending, Steps } from '#base';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { KeyTable } from '../../batch/key-table.ts';
import { RowStore, windowEnd } from '../../batch/row-store.ts';
import { batchRowsMax, Scratch } from '../../batch/vector.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import { appendTo, flushed } from '../../spill/list-rows.ts';
import { RowFilter } from '../../spill/row-filter.ts';
import type { Pause, RowList } from '../../spill/row-list.ts';
import { selectNew } from '../distinct.ts';
import type { QueryRun } from '../operator.ts';
import { statementList } from '../statement-list.ts';

const filterBytesMin = 1 << 16;
const filterBytesMax = 1 << 20;

/** Rows that may be new: their numbers in `keys` are their positions in `rows`. */
interface Candidates {
  readonly keys: KeyTable;
  readonly rows: RowStore;
}

export class FoundRows {
  readonly rows: RowList;
  private readonly types: readonly DatumType[];
  private readonly reservation: MemoryReservation;
  private readonly shareBytes: number;
  private readonly pause: Pause;
  private readonly numbers = new Int32Array(batchRowsMax);
  private readonly scratch = new Scratch();
  /** All rows, by identity; undefined if duplicates are kept, or if the rows do not fit into memory. */
  private seen: KeyTable | undefined;
  /** The filter of all rows, once they do not fit into memory. */
  private filter: RowFilter | undefined;
  private candidates: Candidates | undefined;
  /** Whether a candidate may have been found before. */
  private mayBeKnown = false;
  /** Work that has to finish before rows can be added. */
  private work: Steps<void> | undefined;

  constructor(
    types: readonly DatumType[],
    keepsDuplicates: boolean,
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.types = types;
    this.rows = statementList(types, run, site);
    this.reservation = run.memory.reservation(site);
    this.shareBytes = run.memory.shareBytes;
    this.pause = (rows) => run.budget.pause(rows);
    this.seen = keepsDuplicates ? undefined : new KeyTable(types, true);
  }

  /** Adds the rows of a batch that are new, or all if duplicates are kept. The caller must not change it before `settle` has returned undefined. */
  add(batch: Batch): void {
    if (this.candidates !== undefined) {
      this.collect(batch, this.candidates);
    } else if (this.seen !== undefined) {
      const { columns } = batch;
      const selection = this.scratch.take(batch.count);
      const count = selectNew(this.seen, batch, this.numbers, selection);
      this.rows.append({ columns, selection, count });
    } else {
      this.rows.append(batch);
    }
  }

  /** Makes room for more rows. After a wait, call it again. */
  settle(): Pending | undefined {
    if (this.work === undefined) {
      const wait = this.rows.settle(this.pause);
      if (wait !== undefined) return wait;
      if (this.fits()) return undefined;
      this.work = this.candidates === undefined ? this.forgetSeen() : this.take(this.candidates);
    }
    return this.runWork();
  }

  /** Ends an iteration: all rows can be read. `settle` must have returned undefined. After a wait, call it again. */
  finish(): Pending | undefined {
    const { candidates } = this;
    if (candidates !== undefined && candidates.rows.length > 0) this.work ??= this.take(candidates);
    return this.runWork() ?? this.rows.flush();
  }

  private runWork(): Pending | undefined {
    const step = this.work?.next();
    if (step === undefined) return undefined;
    if (step.done !== true) return step.value;
    this.work = undefined;
    return undefined;
  }

  private fits(): boolean {
    const { seen, candidates } = this;
    if (seen !== undefined) return this.reservation.fits(seen.bytes);
    if (candidates === undefined) return true;
    const bytes = this.filterBytes + candidates.keys.bytes + candidates.rows.bytes;
    // A pass for few rows does not pay.
    if (candidates.rows.length >= batchRowsMax) return this.reservation.fits(bytes);
    this.reservation.resize(bytes);
    return true;
  }

  private get filterBytes(): number {
    return this.filter?.bytes ?? 0;
  }

  private collect(batch: Batch, { keys, rows }: Candidates): void {
    const selection = this.scratch.take(batch.count);
    const count = selectNew(keys, batch, this.numbers, selection);
    this.mayBeKnown ||= this.filter?.mayHaveAny(batch.columns, selection, count) === true;
    rows.append({ columns: batch.columns, selection, count });
  }

  /** Replaces the table of all rows by a filter. */
  private *forgetSeen(): Steps<void> {
    this.seen = undefined;
    let bytes = filterBytesMin;
    while (bytes < Math.min(filterBytesMax, this.shareBytes / 8)) bytes *= 2;
    const filter = new RowFilter(bytes);
    yield* this.eachBatch(({ columns, selection, count }) => filter.add(columns, selection, count));
    this.filter = filter;
    this.startCandidates();
  }

  private startCandidates(): void {
    this.candidates = { keys: new KeyTable(this.types, true), rows: new RowStore(this.types) };
    this.mayBeKnown = false;
    this.reservation.resize(this.filterBytes);
  }

  /** Adds the candidates that have not been found before. */
  private *take({ keys, rows }: Candidates): Steps<void> {
    const known = new Uint8Array(rows.length);
    const { numbers } = this;
    if (this.mayBeKnown) {
      yield* this.eachBatch(({ columns, selection, count }) => {
        keys.find(columns, selection, count, numbers);
        for (let i = 0; i < count; i++) {
          const number = numbers[selection[i] as number] as number;
          if (number >= 0) known[number] = 1;
        }
      });
    }
    for (let from = 0; from < rows.length; from += batchRowsMax) {
      const to = windowEnd(from, rows.length, batchRowsMax);
      const columns = rows.window(from, to);
      const selection = new Uint32Array(to - from);
      let count = 0;
      for (let at = from; at < to; at++) if (known[at] === 0) selection[count++] = at - from;
      this.filter?.add(columns, selection, count);
      yield* appendTo(this.rows, { columns, selection, count }, this.pause);
    }
    this.startCandidates();
  }

  private *eachBatch(visit: (batch: Batch) => void): Steps<void> {
    yield* flushed(this.rows);
    const reader = this.rows.reader();
    for (let batch = reader.read(batchRowsMax); batch; batch = reader.read(batchRowsMax)) {
      const wait = this.pause(batchRowsMax);
      if (wait !== undefined) yield wait;
      visit(batch);
    }
  }
}
