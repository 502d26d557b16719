/** The spilled state of an aggregate: rows of groups that exceeded its memory, and the groups that it has finished since. */

import type { Pending } from '#base';
import type { AggregatePlan } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { denseSelection, type Vector } from '../../batch/vector.ts';
import { PartQueue } from '../../spill/part-queue.ts';
import type { ProgramFile, ProgramSpill } from '../../spill/program-spill.ts';
import { type SpilledReader, SpilledRows } from '../../spill/spilled-rows.ts';
import type { GroupInput, GroupTable } from './group-table.ts';

export class SpilledGroups {
  private readonly keyCount: number;
  /** Whether each fold has an argument. */
  private readonly hasValue: readonly boolean[];
  private readonly parts: PartQueue;
  private readonly file: ProgramFile;
  private readonly finished: SpilledRows;
  private output: SpilledReader | undefined;
  /** Number of groups of the current table that are in `finished`. */
  private kept = 0;

  constructor(plan: AggregatePlan, spill: ProgramSpill) {
    const values: DatumType[] = plan.folds.flatMap(({ argument }) => argument?.type ?? []);
    this.keyCount = plan.groups.length;
    this.hasValue = plan.folds.map(({ argument }) => argument !== undefined);
    this.parts = new PartQueue([...plan.groups.map((group) => group.type), ...values], spill);
    this.file = spill.open();
    this.finished = new SpilledRows(
      plan.output.map((column) => column.type),
      this.file,
    );
  }

  get bytes(): number {
    return this.parts.bytes + this.finished.bytes;
  }

  get isReading(): boolean {
    return this.parts.isReading;
  }

  get canPart(): boolean {
    return this.parts.canPart;
  }

  crowded(): Pending | undefined {
    return this.parts.crowded();
  }

  add({ keys, values }: GroupInput, selection: Uint32Array, count: number): void {
    const columns = [...keys, ...values.filter((vector) => vector !== undefined)];
    this.parts.add(keys, columns, selection, count);
  }

  /** Returns the next rows of the part that is being read. */
  read(): GroupInput | undefined {
    const batch = this.parts.read();
    if (batch === undefined) return undefined;
    const { columns, selection, count } = batch;
    let next = this.keyCount;
    const values = this.hasValue.map((has) => (has ? (columns[next++] as Vector) : undefined));
    return { keys: columns.slice(0, this.keyCount), values, selection, count, sources: undefined };
  }

  /**
   * Appends the groups of `table`, which must be finished, to the earlier ones, and begins the next part. Returns false if there is none; then
   * all groups can be returned. After a wait, call it again.
   */
  nextPart(
    table: GroupTable,
    rowsMax: number,
    pause: (rows: number) => Pending | undefined,
  ): boolean | Pending {
    if (this.output !== undefined) return false;
    while (this.kept < table.size) {
      const wait = this.file.crowded() ?? pause(rowsMax);
      if (wait !== undefined) return wait;
      const to = Math.min(table.size, this.kept + rowsMax);
      const columns = table.window(this.kept, to);
      this.finished.add({ columns, selection: denseSelection, count: to - this.kept });
      this.kept = to;
    }
    const next = this.parts.next();
    if (next instanceof Promise) return next;
    if (next) {
      this.kept = 0;
      return true;
    }
    const wait = this.finished.finish();
    if (wait !== undefined) return wait;
    this.output = this.finished.reader();
    return false;
  }

  /** Returns the next finished groups; undefined at the end. */
  nextFinished(): Batch | undefined {
    return this.output?.read();
  }

  close(): void {
    this.parts.close();
    this.file.close();
  }
}
