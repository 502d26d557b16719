/**
 * The spilled runs of a sort: each contains, in order, the rows that were in memory at one time. At the end the runs are merged, in several
 * passes if there are many.
 */

import type { Pending } from '#base';
import type { SortPlan } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { gatherOfPieces } from '../../batch/chunked-column.ts';
import { batchRowsMax, denseSelection } from '../../batch/vector.ts';
import type { ProgramFile, ProgramSpill } from '../../spill/program-spill.ts';
import { SpilledRows } from '../../spill/spilled-rows.ts';
import type { Candidates } from './candidates.ts';
import type { MergeSort } from './merge-sort.ts';
import { RunMerge } from './run-merge.ts';

/** Number of runs that are merged together; one block of each is in memory. */
const fanIn = 16;

type Pause = (rows: number) => Pending | undefined;

export class SortedRuns {
  private readonly plan: SortPlan;
  private readonly types: readonly DatumType[];
  private readonly file: ProgramFile;
  private runs: SpilledRows[] = [];
  /** The run that is being written, and the number of rows written to it. */
  private open: SpilledRows | undefined;
  private at = 0;
  /** The merge of the runs that become the open one, or of all that remain. */
  private merge: RunMerge | undefined;

  constructor(plan: SortPlan, spill: ProgramSpill) {
    this.plan = plan;
    this.types = [
      ...plan.output.map((column) => column.type),
      ...plan.terms.map((term) => ({ kind: term.type })),
    ];
    this.file = spill.open();
  }

  /** Bytes of memory that the runs take, including the blocks that are being merged. */
  get bytes(): number {
    let bytes = this.open?.bytes ?? 0;
    for (const run of this.runs) bytes += run.bytes;
    // A decoded block takes about four times its bytes.
    return bytes + (this.merge === undefined ? 0 : fanIn * 4 * this.file.blockBytes);
  }

  /** Writes the rows in memory, sorted, as another run. After a wait, call it again. */
  put(held: Candidates, { order }: MergeSort, pause: Pause): Pending | undefined {
    const run = this.opened();
    const columns = [...held.rows.columns, ...held.keyColumns];
    while (this.at < held.length) {
      const wait = this.file.crowded() ?? pause(batchRowsMax);
      if (wait !== undefined) return wait;
      const to = Math.min(held.length, this.at + batchRowsMax);
      const window = columns.map((column) => gatherOfPieces(column, order, this.at, to));
      run.add({ columns: window, selection: denseSelection, count: to - this.at });
      this.at = to;
    }
    return this.endRun(run);
  }

  /** Merges runs until at most `fanIn` remain, which `next` merges. After a wait, call it again. */
  prepare(pause: Pause): Pending | undefined {
    while (this.runs.length > fanIn || this.open !== undefined) {
      const wait = this.pass(pause);
      if (wait !== undefined) return wait;
    }
    this.merge ??= this.mergeOf(this.runs);
    return undefined;
  }

  /** Returns the next rows in order, at most `count`, with their keys as further columns; undefined at the end. `prepare` must have finished. */
  next(count: number): Batch | undefined {
    return this.merge?.next(count);
  }

  close(): void {
    this.file.close();
  }

  /** Merges the first runs into one and puts it in their place, so that equal rows keep their order. */
  private pass(pause: Pause): Pending | undefined {
    this.merge ??= this.mergeOf(this.runs.slice(0, fanIn));
    const run = this.opened();
    for (;;) {
      const wait = this.file.crowded() ?? pause(batchRowsMax);
      if (wait !== undefined) return wait;
      const batch = this.merge.next(batchRowsMax);
      if (batch === undefined) break;
      run.add(batch);
    }
    const wait = run.finish();
    if (wait !== undefined) return wait;
    this.runs = [run, ...this.runs.slice(fanIn)];
    this.open = undefined;
    this.merge = undefined;
    return undefined;
  }

  private opened(): SpilledRows {
    if (this.open === undefined) {
      this.open = new SpilledRows(this.types, this.file);
      this.at = 0;
    }
    return this.open;
  }

  private endRun(run: SpilledRows): Pending | undefined {
    const wait = run.finish();
    if (wait !== undefined) return wait;
    this.runs.push(run);
    this.open = undefined;
    return undefined;
  }

  private mergeOf(runs: readonly SpilledRows[]): RunMerge {
    const readers = runs.map((run) => run.reader());
    return new RunMerge(readers, this.plan.terms, this.plan.output.length);
  }
}
