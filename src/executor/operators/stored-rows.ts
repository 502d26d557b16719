/** Operators that read stored rows: of local bindings, of earlier statements, and of the frontier of a recursion. */

import { invariant, type Pending } from '#base';
import type { FrontierPlan, MaterializedPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { batchRowsMax } from '../batch/vector.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { RowReader } from '../spill/row-list.ts';
import type { Materialized, Operator, QueryRun } from './operator.ts';

/** Returns rows of a binding or a statement; only the required columns are copied. */
export class StoredRows implements Operator {
  readonly isRepeatable = true;
  readonly site: OperatorProfile;
  readonly run: QueryRun;
  private readonly source: Materialized;
  private readonly columnIndexes: readonly number[];
  private reader: RowReader | undefined;

  constructor(plan: MaterializedPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.source = sourceOf(plan, run);
    this.columnIndexes = plan.columnIndexes;
  }

  open(): void {
    this.reader = undefined;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = this.source.fill();
    if (wait !== undefined) return wait;
    const { rows } = this.source;
    this.reader ??= rows.reader(0, this.columnIndexes);
    return readOn(this.reader, wanted, rows.length, this);
  }

  close(): void {}
}

/** Returns the rows that the last iteration of a recursion found. */
export class FrontierRows implements Operator {
  readonly site: OperatorProfile;
  readonly run: QueryRun;
  private readonly binding: string;
  private reader: RowReader | undefined;
  private to = 0;

  constructor(plan: FrontierPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.binding = plan.binding;
  }

  open(): void {
    const frontier = this.run.frontiers.get(this.binding);
    this.reader = frontier?.rows.reader(frontier.from);
    this.to = frontier?.to ?? 0;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    invariant(this.reader !== undefined, 'a frontier is read inside its recursion');
    return readOn(this.reader, wanted, this.to, this);
  }

  close(): void {}
}

/** Reads the next rows before `to` for an operator; returns undefined at the end. */
function readOn(
  reader: RowReader,
  wanted: number,
  to: number,
  { run, site }: { readonly run: QueryRun; readonly site: OperatorProfile },
): Batch | undefined | Pending {
  const count = Math.min(to - reader.at, wanted, batchRowsMax);
  if (count <= 0) return undefined;
  const pause = run.budget.pause(count);
  if (pause !== undefined) return pause;
  const batch = reader.read(count, to);
  site.rowsOut += batch?.count ?? 0;
  return batch;
}

function sourceOf({ source }: MaterializedPlan, run: QueryRun): Materialized {
  if (source.kind === 'binding') {
    const binding = run.bindings.get(source.name);
    invariant(binding !== undefined, 'a binding comes before its readers');
    return binding;
  }
  const rows = source.kind === 'changed' ? run.changed : run.results.get(source.name);
  invariant(rows !== undefined, 'a referenced statement keeps its rows');
  return { rows, fill: () => undefined };
}
