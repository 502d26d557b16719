/** Operators that read rows from memory: of local bindings, of earlier statements, and of the frontier of a recursion. */

import { invariant, type Pending } from '#base';
import type { FrontierPlan, MaterializedPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { type ChunkedColumn, sliceOfPieces } from '../batch/chunked-column.ts';
import { type RowStore, windowEnd } from '../batch/row-store.ts';
import { denseSelection, type Vector } from '../batch/vector.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Frontier, Materialized, Operator, QueryRun } from './operator.ts';

/** Returns rows of a binding or a statement; only the required columns are copied. */
export class StoredRows implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly source: Materialized;
  private readonly columnIndexes: readonly number[];
  private at = 0;

  constructor(plan: MaterializedPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.source = sourceOf(plan, run);
    this.columnIndexes = plan.columnIndexes;
  }

  open(): void {
    this.at = 0;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = this.source.fill();
    if (wait !== undefined) return wait;
    const from = this.at;
    const { rows } = this.source;
    const to = windowEnd(from, rows.length, wanted);
    if (from === to) return undefined;
    const pause = this.run.budget.pause(to - from);
    if (pause !== undefined) return pause;
    this.at = to;
    this.site.rowsOut += to - from;
    return windowOf(rows, this.columnIndexes, from, to);
  }

  close(): void {}
}

/** Returns the rows that the last iteration of a recursion found. */
export class FrontierRows implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly binding: string;
  private readonly columnIndexes: readonly number[];
  private frontier: Frontier | undefined;
  private at = 0;

  constructor(plan: FrontierPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.binding = plan.binding;
    this.columnIndexes = plan.output.map((_, columnIndex) => columnIndex);
  }

  open(): void {
    this.frontier = this.run.frontiers.get(this.binding);
    this.at = this.frontier?.from ?? 0;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const { frontier } = this;
    invariant(frontier !== undefined, 'a frontier is read inside its recursion');
    const from = this.at;
    const to = windowEnd(from, frontier.to, wanted);
    if (from === to) return undefined;
    const pause = this.run.budget.pause(to - from);
    if (pause !== undefined) return pause;
    this.at = to;
    this.site.rowsOut += to - from;
    return windowOf(frontier.rows, this.columnIndexes, from, to);
  }

  close(): void {}
}

function sourceOf({ source }: MaterializedPlan, run: QueryRun): Materialized {
  if (source.kind === 'binding') {
    const binding = run.bindings.get(source.name);
    invariant(binding !== undefined, 'a binding comes before its readers');
    return binding;
  }
  const rows = run.results.get(source.name);
  invariant(rows !== undefined, 'a referenced statement keeps its rows');
  return { rows, fill: () => undefined };
}

function windowOf(
  rows: RowStore,
  columnIndexes: readonly number[],
  from: number,
  to: number,
): Batch {
  const columns: Vector[] = [];
  for (let c = 0; c < columnIndexes.length; c++) {
    columns.push(
      sliceOfPieces(rows.columns[columnIndexes[c] as number] as ChunkedColumn, from, to),
    );
  }
  return { columns, selection: denseSelection, count: to - from };
}
