/**
 * Joins by equal keys. The build side is stored in a hash table, and the probe side streams past it. Pairs are collected into dense batches, to
 * which the residual is applied. A left join builds from the right side, and adds the left rows of which no pair was kept. If the build side
 * exceeds the memory of the program, both sides are spilled in parts, and the parts are joined one after the other. If the rows of one key
 * exceed the memory, they are joined in blocks, with one pass through their probe rows for each block.
 */

import type { Pending } from '#base';
import type { HashJoinPlan, PlanExpression, RelationPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, denseSelection, Scratch, type Vector } from '../../batch/vector.ts';
import { compile, compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel, type Select, selectTrue } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { ProgramSpill } from '../../spill/program-spill.ts';
import { type KeyedBatch, SpilledSides } from '../../spill/spilled-sides.ts';
import { withSmallBatches } from '../batch-splitter.ts';
import { rowsInOneGo } from '../expression-size.ts';
import { isVariant } from '../is-repeatable.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { HashTable } from './hash-table.ts';
import { JoinedRows } from './joined-rows.ts';
import { MatchedRows } from './matched-rows.ts';
import { unmatchedRows } from './pairs.ts';

interface Side {
  readonly plan: RelationPlan;
  readonly input: Operator;
  readonly keys: readonly Kernel[];
  /** First column index of the side in the joined row. */
  readonly start: number;
}

export class HashJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly isOuter: boolean;
  private readonly held: Side;
  private readonly probe: Side;
  private readonly keyTypes: PlanExpression['type'][];
  private readonly residual: Select | undefined;
  /** Maximum number of pairs to which the residual is applied without a yield. */
  private readonly pairsMax: number;
  private readonly reservation: MemoryReservation;
  /** Memory of the spilled parts. */
  private readonly spillHolding: MemoryReservation;
  private readonly out: JoinedRows;
  private readonly scratch = new Scratch();
  private readonly firstRows = new Int32Array(batchRowsMax);
  /** Whether a pair of each row of the probe batch was kept. Only outer joins use it. */
  private readonly matched = new Uint8Array(batchRowsMax);
  private readonly pairProbe = new Uint32Array(batchRowsMax);
  private readonly pairHeld = new Int32Array(batchRowsMax);
  private table: HashTable;
  private isBuilt = false;
  /** Defined once there was no memory for the build side. */
  private parts: SpilledSides | undefined;
  /** Whether the rows of both sides are being partitioned. `table` is then moved to the parts; `moved` is the next row to move. */
  private isParting = false;
  private moved = 0;
  /** Whether `table` is only a block of a part that cannot be partitioned further, and further blocks follow. */
  private isBlock = false;
  /** Probe rows of which an earlier block had a match; defined for an outer join in blocks. */
  private matchedBefore: MatchedRows | undefined;
  /** Maximum number of rows of `table` whose keys are evaluated without a yield. */
  private readonly keysMax: number;
  /** The probe batch; for an inner join, only the rows whose key is in the table. */
  private batch: Batch | undefined;
  private readonly found = new Uint32Array(batchRowsMax);
  /** The next pair: an index into the selection of `batch`, and the row of the build side (-1 if it has yet to be looked up). */
  private at = 0;
  private heldRow = -1;

  constructor(
    plan: HashJoinPlan,
    inputs: readonly Operator[],
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.isOuter = plan.join === 'left';
    const left: Side = {
      plan: plan.left,
      input: withSmallBatches(inputs[0] as Operator, plan.left, plan.leftKeys, run),
      keys: compileAll(plan.leftKeys, run.frame),
      start: 0,
    };
    const right: Side = {
      plan: plan.right,
      input: withSmallBatches(inputs[1] as Operator, plan.right, plan.rightKeys, run),
      keys: compileAll(plan.rightKeys, run.frame),
      start: plan.left.output.length,
    };
    this.held = plan.build === 'left' && !this.isOuter ? left : right;
    this.probe = this.held === left ? right : left;
    this.keyTypes = plan.rightKeys.map((key) => key.type);
    this.keysMax = rowsInOneGo(this.held === left ? plan.leftKeys : plan.rightKeys);
    this.residual =
      plan.residual === undefined ? undefined : selectTrue(compile(plan.residual, run.frame));
    this.pairsMax = plan.residual === undefined ? batchRowsMax : rowsInOneGo([plan.residual]);
    this.reservation = run.memory.reservation(site);
    this.spillHolding = run.memory.reservation(site);
    this.out = new JoinedRows({
      width: plan.output.length,
      probe: this.probe.start,
      held: this.held.start,
      heldWidth: this.held.plan.output.length,
    });
    this.table = this.emptyTable();
  }

  narrowTo(columnIndexes: ReadonlySet<number>, numbered?: ReadonlySet<number>): void {
    // A residual may read any column.
    if (this.residual !== undefined) return;
    this.out.narrowTo(columnIndexes, numbered);
  }

  open(): void {
    this.probe.input.open();
    this.batch = undefined;
    if (this.keepsTable) return;
    this.held.input.open();
    this.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const wait = this.isBuilt ? undefined : this.build();
      if (wait !== undefined) return wait;
      const result = this.isParting ? this.partProbe() : this.join(wanted);
      if (result !== undefined) return result;
      if (this.parts === undefined) return undefined;
      const next = this.isBlock ? this.parts.restartProbe() : this.parts.next();
      if (next instanceof Promise) return next;
      if (!next) return undefined;
      if (this.isBlock) this.matchedBefore?.restart();
      else this.matchedBefore = undefined;
      this.table = this.emptyTable();
      this.isBuilt = false;
      this.isParting = false;
      this.isBlock = false;
    }
  }

  close(): void {
    this.probe.input.close();
    this.held.input.close();
    if (!this.keepsTable) this.forget();
  }

  /** Whether the table is kept for the next run, which will need the same rows. */
  private get keepsTable(): boolean {
    return this.isBuilt && this.parts === undefined && !isVariant(this.held.plan);
  }

  /** Returns the next joined batch of the current input or part; undefined once that is exhausted. */
  private join(wanted: number): Batch | undefined | Pending {
    // An empty build side has no matches, so that an inner join need not read the probe side.
    if (this.table.rows.length === 0 && !this.isOuter) return undefined;
    for (;;) {
      const pause = this.batch === undefined ? this.read(wanted) : this.pause();
      if (pause !== undefined) return pause;
      if (this.batch === undefined) return undefined;
      const result = this.advance(this.batch);
      if (result === undefined) continue;
      this.site.rowsOut += result.count;
      return result;
    }
  }

  /** Charges the time budget for collecting a batch of pairs and testing the residual. Returns a wait if one is due. */
  private pause(): Pending | undefined {
    return this.run.budget.pause(this.pairsMax < batchRowsMax ? batchRowsMax : 256);
  }

  private forget(): void {
    this.table = this.emptyTable();
    this.isBuilt = false;
    this.parts?.close();
    this.parts = undefined;
    this.isParting = false;
    this.isBlock = false;
    this.matchedBefore = undefined;
    this.reservation.resize(0);
    this.spillHolding.resize(0);
  }

  private emptyTable(): HashTable {
    return new HashTable(
      this.held.plan.output.map((column) => column.type),
      this.keyTypes,
    );
  }

  private build(): Pending | undefined {
    for (;;) {
      const wait = this.isParting ? this.moveTable() : undefined;
      if (wait !== undefined) return wait;
      const rows = this.isBlock ? undefined : this.nextHeld();
      if (rows instanceof Promise) return rows;
      if (rows === undefined) break;
      if (this.isParting) this.parts?.addHeld(rows);
      else this.hold(rows);
    }
    if (this.parts?.isReading !== true) this.held.input.close();
    this.table.complete();
    this.isBuilt = true;
    return undefined;
  }

  private hold({ batch, keys }: KeyedBatch): void {
    this.table.add(batch, keys);
    if (this.reservation.fits(this.table.bytes)) return;
    this.parts ??= this.newParts(this.run.memory.spill as ProgramSpill);
    if (!this.parts.canPart) {
      this.endBlock(this.parts);
      return;
    }
    this.isParting = true;
    this.moved = 0;
  }

  /** Ends a block of rows that cannot be partitioned further: they most likely have one key. */
  private endBlock(parts: SpilledSides): void {
    this.isBlock = true;
    if (!this.isOuter) return;
    this.matchedBefore ??= new MatchedRows(parts.probeRows);
    this.spillHolding.resize(parts.bytes + this.matchedBefore.bytes);
  }

  private newParts(spill: ProgramSpill): SpilledSides {
    const keys = this.keyTypes;
    const rowsOf = ({ plan }: Side) => plan.output.map((column) => column.type);
    const [held, probe] = [rowsOf(this.held), rowsOf(this.probe)];
    const options = { keepsProbe: this.isOuter, keepsOneKey: true };
    return new SpilledSides({ rows: held, keys }, { rows: probe, keys }, options, spill);
  }

  /** Moves the rows of `table` to the parts. After a wait, call it again. */
  private moveTable(): Pending | undefined {
    const { rows } = this.table;
    const parts = this.parts as SpilledSides;
    while (this.moved < rows.length) {
      const wait = parts.crowded() ?? this.run.budget.pause(batchRowsMax);
      if (wait !== undefined) return wait;
      const to = Math.min(rows.length, this.moved + this.keysMax);
      const columns = rows.window(this.moved, to);
      const batch = { columns, selection: denseSelection, count: to - this.moved };
      this.run.current = this.site;
      parts.addHeld({ batch, keys: this.evaluateKeys(this.held.keys, batch) });
      this.moved = to;
    }
    if (rows.length > 0) {
      this.table = this.emptyTable();
      this.moved = 0;
    }
    this.reservation.resize(0);
    this.spillHolding.resize(parts.bytes);
    return parts.crowded();
  }

  /** Partitions the current probe input or part; returns undefined once that is exhausted. */
  private partProbe(): Pending | undefined {
    const parts = this.parts as SpilledSides;
    for (;;) {
      const wait = parts.crowded();
      if (wait !== undefined) return wait;
      const rows = this.nextProbe(batchRowsMax);
      if (rows === undefined || rows instanceof Promise) return rows;
      parts.addProbe(rows);
      this.spillHolding.resize(parts.bytes);
    }
  }

  private nextHeld(): KeyedBatch | undefined | Pending {
    const { parts } = this;
    if (parts?.isReading === true) return this.run.budget.pause(batchRowsMax) ?? parts.readHeld();
    return this.nextOf(this.held, batchRowsMax);
  }

  private nextProbe(wanted: number): KeyedBatch | undefined | Pending {
    const { parts } = this;
    if (parts?.isReading === true) return this.run.budget.pause(batchRowsMax) ?? parts.readProbe();
    return this.nextOf(this.probe, wanted);
  }

  private nextOf({ input, keys }: Side, wanted: number): KeyedBatch | undefined | Pending {
    const batch = input.next(wanted);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.run.current = this.site;
    return { batch, keys: this.evaluateKeys(keys, batch) };
  }

  /** Reads the next probe batch; afterwards `batch` is undefined at the end. */
  private read(wanted: number): Pending | undefined {
    const rows = this.nextProbe(wanted);
    if (rows === undefined || rows instanceof Promise) return rows;
    const { batch, keys } = rows;
    if (this.isOuter) {
      this.table.find(keys, batch, this.firstRows);
      this.matched.fill(0);
      this.batch = batch;
    } else {
      const { columns, sources } = batch;
      const count = this.table.findKnown(keys, batch, this.firstRows, this.found);
      const selection = count === batch.count ? batch.selection : this.found;
      this.batch = { columns, selection, count, ...(sources && { sources }) };
    }
    this.at = 0;
    this.heldRow = -1;
    return undefined;
  }

  private evaluateKeys(keys: readonly Kernel[], batch: Batch): Vector[] {
    return keys.map((key) => evaluateBatch(key, batch));
  }

  /** Returns the next output of the current probe batch; undefined if this step has none. */
  private advance(batch: Batch): Batch | undefined {
    if (this.at < batch.count) {
      if (this.isSingle) return this.joinSingle(batch);
      const count = this.collectPairs(batch);
      return count === 0 ? undefined : this.emitPairs(batch, count);
    }
    this.batch = undefined;
    if (!this.isOuter) return undefined;
    this.matchedBefore?.merge(batch, this.matched);
    if (this.isBlock) return undefined;
    const selection = this.scratch.take(batch.count);
    const count = unmatchedRows(batch, this.matched, selection);
    if (count === 0) return undefined;
    return this.out.beside(batch, this.table.rows, this.firstRows.fill(-1), selection, count);
  }

  /** Whether each probe row has at most one pair, and an outer join need not wait for further blocks. */
  private get isSingle(): boolean {
    return (
      !this.table.hasDuplicates && this.residual === undefined && this.matchedBefore === undefined
    );
  }

  /** Joins a batch if every key has one row at most: build columns are added to the unchanged probe columns. */
  private joinSingle(batch: Batch): Batch | undefined {
    this.batch = undefined;
    const { firstRows, out } = this;
    const { rows } = this.table;
    return out.beside(batch, rows, firstRows, batch.selection, batch.count);
  }

  /** Collects pairs up to a full batch, or up to the limit of the residual. */
  private collectPairs(batch: Batch): number {
    const { firstRows, pairHeld, pairProbe, table } = this;
    let count = 0;
    while (this.at < batch.count && count < this.pairsMax) {
      const row = batch.selection[this.at] as number;
      const held = this.heldRow < 0 ? (firstRows[row] as number) : this.heldRow;
      if (held >= 0) {
        pairProbe[count] = row;
        pairHeld[count++] = held;
        this.heldRow = table.after(held);
      }
      if (this.heldRow < 0) this.at++;
    }
    return count;
  }

  private emitPairs(batch: Batch, count: number): Batch | undefined {
    const { pairHeld, pairProbe, table } = this;
    const pairs = this.out.pairs(batch, table.rows, pairProbe, pairHeld, count);
    const kept = this.residual === undefined ? pairs : this.passing(this.residual, pairs);
    if (this.isOuter) this.markMatched(kept);
    return kept.count === 0 ? undefined : kept;
  }

  private passing(residual: Select, { columns, selection: all, count }: Batch): Batch {
    const selection = this.scratch.take(count);
    this.run.current = this.site;
    return { columns, selection, count: residual(columns, all, count, selection) };
  }

  private markMatched(kept: Batch): void {
    for (let i = 0; i < kept.count; i++) {
      this.matched[this.pairProbe[kept.selection[i] as number] as number] = 1;
    }
  }
}
