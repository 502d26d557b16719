/**
 * The plan of a crossing, run once for the rows of many enclosing rows: filters, projections and crossings below see one batch and not one for
 * each, and what comes out is told apart by where it lay in that batch.
 */

import type { Pending } from '#base';
import type { CrossingPlan, RelationPlan, ScanPlan } from '#planner';
import type { Datum, Row } from '#value';
import { rememberBytes, rowBytes } from '../../batch/datum-bytes.ts';
import { objectBytes, slotBytes } from '../../batch/prices.ts';
import { rowAt } from '../../batch/row-store.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { Site } from '../../site.ts';
import { sizeOf, termsOfRow } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import type { RowsAhead, RunAhead } from '../scan/rows-ahead.ts';
import { WindowScan } from '../scan/window-scan.ts';
import { Slice } from '../slice.ts';

interface Parts {
  readonly kind: CrossingPlan['kind'];
  readonly operator: Operator;
  readonly scan: WindowScan;
  readonly scanPlan: ScanPlan;
  readonly slice: Slice | undefined;
}

/** What came of one run. */
interface Outcome {
  readonly rows: Row[];
  bytes: number;
  /** All of its rows were there. */
  readonly isWhole: boolean;
  value: Datum | undefined;
}

export class RunTogether {
  private readonly parts: Parts;
  private outcomes: Outcome[] = [];
  private runOf = new Uint16Array(0);
  private isRunning = false;
  /** Memory of the rows. */
  bytes = 0;

  private constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Undefined where expressions are so large that batches are taken apart. */
  static of({ kind, plan }: CrossingPlan, operator: Operator, run: QueryRun) {
    let slice: Slice | undefined;
    for (let node = plan; ; node = node.input) {
      const made = run.windows?.get(node.id);
      if (made instanceof WindowScan && node.kind === 'scan') {
        return new RunTogether({ kind, operator, scan: made, scanPlan: node, slice });
      }
      if (made instanceof Slice) slice = made;
      if (!isChained(node) || expressionSize(node) > termsOfRow) return undefined;
    }
  }

  get scanPlan(): ScanPlan {
    return this.parts.scanPlan;
  }

  get scanSite(): Site {
    return this.parts.scan.site;
  }

  /** Lets go of what came out. */
  drop(): void {
    this.outcomes = [];
    this.bytes = 0;
    this.stop();
  }

  /** Runs the plan for the rows that `source` has read. After a wait to be called again. */
  run(source: RowsAhead): Pending | undefined {
    const { operator } = this.parts;
    if (!this.isRunning) this.start(source);
    for (;;) {
      const batch = operator.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      const { columns, selection, count } = batch;
      for (let i = 0; i < count; i++) {
        const at = selection[i] as number;
        this.add(this.outcomes[this.runOf[at] as number] as Outcome, rowAt(columns, at));
      }
    }
    for (let i = 0; i < this.outcomes.length; i++) {
      const outcome = this.outcomes[i] as Outcome;
      if (outcome.isWhole || this.isEnough(outcome, i)) outcome.value = this.valueOf(outcome);
    }
    operator.close();
    this.stop();
    return undefined;
  }

  /** What came out for a run that was read; undefined: it has to be run alone. */
  outcomeOf(run: RunAhead): Datum | undefined {
    if (run.range === undefined) return this.valueOf({ rows: [], bytes: objectBytes });
    return (this.outcomes[run.number] as Outcome).value;
  }

  private start(source: RowsAhead): void {
    const { kind, operator, scan, slice } = this.parts;
    this.drop();
    const runs = source.inOrder();
    const length = runs.at(-1)?.to ?? 0;
    if (this.runOf.length < length) this.runOf = new Uint16Array(batchRowsMax);
    const selection = new Uint32Array(length);
    let count = 0;
    for (let i = 0; i < runs.length; i++) {
      const run = runs[i] as RunAhead;
      if (run.number < this.outcomes.length) continue;
      const { isWhole } = run;
      this.outcomes.push({ rows: [], bytes: objectBytes, isWhole, value: undefined });
      // Of a list that nothing cuts, all rows are needed: it is run alone.
      if (!isWhole && kind === 'array' && slice === undefined) continue;
      for (let at = run.from; at < run.to; at++) {
        this.runOf[at] = run.number;
        selection[count++] = at;
      }
    }
    slice?.divide(this.runOf, this.outcomes.length);
    scan.give({ columns: source.columns, selection, count });
    operator.open();
    this.isRunning = true;
  }

  private stop(): void {
    this.isRunning = false;
    this.parts.scan.give(undefined);
    this.parts.slice?.divide(undefined, 0);
  }

  private add(outcome: Outcome, row: Row): void {
    const bytes = slotBytes + rowBytes(row);
    outcome.rows.push(row);
    outcome.bytes += bytes;
    this.bytes += bytes;
  }

  /** Further rows would change nothing. */
  private isEnough({ rows }: Outcome, at: number): boolean {
    const { kind, slice } = this.parts;
    return kind === 'array' ? slice?.isFull(at) === true : rows.length > 0;
  }

  private valueOf({ rows, bytes }: Pick<Outcome, 'rows' | 'bytes'>): Datum {
    const [first] = rows;
    switch (this.parts.kind) {
      case 'exists':
        return first !== undefined;
      case 'first':
        return first ?? null;
      case 'scalar':
        return first?.[0] ?? null;
      case 'array':
        rememberBytes(rows, bytes);
        return rows;
    }
  }
}

type Chained = Extract<RelationPlan, { kind: 'filter' | 'project' | 'slice' | 'attach' }>;

function isChained(plan: RelationPlan): plan is Chained {
  const { kind } = plan;
  return kind === 'filter' || kind === 'project' || kind === 'slice' || kind === 'attach';
}

function expressionSize(plan: Chained): number {
  if (plan.kind === 'filter') return sizeOf([plan.predicate]);
  return plan.kind === 'project' ? sizeOf(plan.expressions) : 0;
}

/** The scans and slices that `run` shall be able to find by the ids of their plans. */
export function windowedIds(crossings: readonly CrossingPlan[]): readonly number[] {
  return crossings.flatMap(({ plan, ahead }) => {
    if (ahead?.together !== true) return [];
    const ids: number[] = [];
    for (let node = plan; ; node = node.input) {
      if (node.kind === 'scan' || node.kind === 'slice') ids.push(node.id);
      if (!isChained(node)) return ids;
    }
  });
}
