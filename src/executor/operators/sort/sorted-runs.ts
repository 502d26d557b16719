/** Rows that a sort has put down: each time what it held, in order. In the end the runs are merged, in several passes when there are many. */

import type { Pending } from '#base';
import type { SortPlan } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { gatherOfPieces } from '../../batch/pieces.ts';
import { batchRowsMax, denseSelection } from '../../batch/vector.ts';
import type { ProgramFile, ProgramSpill } from '../../spill/program-spill.ts';
import { SpilledRows } from '../../spill/spilled-rows.ts';
import type { Candidates } from './candidates.ts';
import type { MergeSort } from './merge-sort.ts';
import { RunMerge } from './run-merge.ts';

/** Runs that are merged at once: of each one a block is in memory. */
const fanIn = 16;

type Pause = (rows: number) => Pending | undefined;

export class SortedRuns {
  private readonly plan: SortPlan;
  private readonly types: readonly DatumType[];
  private readonly file: ProgramFile;
  private runs: SpilledRows[] = [];
  /** The run that is being written, and how many rows of it are. */
  private open: SpilledRows | undefined;
  private at = 0;
  /** Of the runs that become the open one, or of all that are left. */
  private merge: RunMerge | undefined;

  constructor(plan: SortPlan, spill: ProgramSpill) {
    this.plan = plan;
    this.types = [
      ...plan.output.map((column) => column.type),
      ...plan.terms.map((term) => ({ kind: term.type })),
    ];
    this.file = spill.open();
  }

  /** The memory that they take, blocks being merged included. */
  get bytes(): number {
    let bytes = this.open?.bytes ?? 0;
    for (const run of this.runs) bytes += run.bytes;
    // Decoded, a block takes a few times its bytes.
    return bytes + (this.merge === undefined ? 0 : fanIn * 4 * this.file.blockBytes);
  }

  /** Writes what is held, sorted, as one more run. After a wait to be called again. */
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

  /** Merges runs until few enough are left to be merged on the way out. After a wait to be called again. */
  prepare(pause: Pause): Pending | undefined {
    while (this.runs.length > fanIn || this.open !== undefined) {
      const wait = this.pass(pause);
      if (wait !== undefined) return wait;
    }
    this.merge ??= this.mergeOf(this.runs);
    return undefined;
  }

  /** The next rows in order, at most `count`, with their keys as further columns; undefined at the end. After `prepare`. */
  next(count: number): Batch | undefined {
    return this.merge?.next(count);
  }

  close(): void {
    this.file.close();
  }

  /** Makes one run of the first ones, and puts it in their place: rows that tie stay in their order. */
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
