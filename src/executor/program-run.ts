/** One execution of a program: the state that its statements share, and the initial state of each statement. */

import type { Claims } from '#access';
import type { Steps, World } from '#base';
import type { StatementMeter } from '#observe';
import type { ProgramPlan, QueryPlan } from '#planner';
import type { ReadView, Transaction } from '#storage';
import type { Datum } from '#value';
import type { Budget } from './budget.ts';
import type { Memory } from './memory.ts';
import type { OperatorProfile } from './operator-profile.ts';
import { partsAtOnce } from './operators/build.ts';
import type { QueryRun } from './operators/operator.ts';
import type { ResultSink } from './result-sink.ts';
import type { RowList } from './spill/row-list.ts';
import type { ProgramTrace } from './trace/program-trace.ts';

export interface ProgramContext {
  /** The claims of the principal, with which policies compare rows. A claim that is absent is NULL. */
  readonly claims?: Claims;
  /** The state that is read: a snapshot, or the transaction. */
  readonly view: ReadView;
  /** The transaction that receives the effects; absent for programs without effects. */
  readonly transaction?: Transaction | undefined;
  readonly world: World;
  /** Time and memory of the request, shared by all attempts of the program. */
  readonly budget: Budget;
  readonly memory: Memory;
  /** Counts the statements that have ended. */
  readonly statements?: StatementMeter | undefined;
  /** Trace of the program, if the request asks for one. */
  readonly trace?: ProgramTrace | undefined;
  /** Receives the rows of the result if a query with the cardinality `many` computes it. The outcome then contains no rows. */
  readonly sink?: ResultSink | undefined;
}

export class ProgramRun {
  readonly plan: ProgramPlan;
  readonly context: ProgramContext;
  readonly budget: Budget;
  readonly memory: Memory;
  /** Rows of statements that later statements read. */
  readonly results = new Map<string, RowList>();
  /** Memory of `results` and of the program's result. */
  keptBytes = 0;
  /** Memory of the transaction at the start of the running statement, and of this program: earlier programs account theirs. */
  private bytesBefore: number;
  private readonly bytesAtStart: number;
  /** The query that is running. */
  query: QueryRun | undefined;
  /** The rows that a mutation is about to change, while `within` tests them. */
  private changed: RowList | undefined;

  constructor(plan: ProgramPlan, context: ProgramContext) {
    this.plan = plan;
    this.context = context;
    this.budget = context.budget;
    this.memory = context.memory;
    this.bytesAtStart = bytesOf(context.transaction);
    this.bytesBefore = this.bytesAtStart;
    // Releases the memory and the files of an earlier attempt.
    this.memory.keepOnly(0);
    this.memory.spill?.closeAll();
  }

  startQuery(plan: QueryPlan): QueryRun {
    const registers: Datum[] = [];
    for (let i = 0; i < plan.registerCount; i++) registers.push(null);
    const sites: OperatorProfile[] = [];
    this.query = {
      view: this.context.view,
      budget: this.budget,
      memory: this.memory,
      frame: {
        parameters: this.plan.parameters,
        registers,
        ahead: plan.parts > partsAtOnce ? new Map() : undefined,
        hold: (bytes) => this.memory.hold(bytes),
      },
      registers,
      bindings: new Map(),
      frontiers: new Map(),
      lists: [],
      results: this.results,
      changed: this.changed,
      windows: undefined,
      sites,
      current: undefined,
      trace: this.context.trace?.operators,
    };
    return this.query;
  }

  /** Bytes that the running statement has added to its transaction: writes and the record of reads. Negative if writes went to disk. */
  get transactionBytes(): number {
    return bytesOf(this.context.transaction) - this.bytesBefore;
  }

  /** Runs queries over the rows that a mutation is about to change, and ends them. */
  *within(changed: RowList, queries: () => Steps<void>): Steps<void> {
    const { query, memory } = this;
    const { usedBytes } = memory;
    this.changed = changed;
    yield* queries();
    this.changed = undefined;
    for (const list of this.query?.lists ?? []) list.clear();
    this.query = query;
    memory.backTo(usedBytes);
  }

  /** Keeps memory accounted beyond the running statement. */
  keep(bytes: number): void {
    this.keptBytes += bytes;
  }

  /** Ends a statement: the memory of its operators is released. */
  endStatement(): void {
    for (const list of this.query?.lists ?? []) list.clear();
    this.query = undefined;
    this.bytesBefore = bytesOf(this.context.transaction);
    this.memory.keepOnly(this.keptBytes + Math.max(0, this.bytesBefore - this.bytesAtStart));
  }
}

function bytesOf(transaction: Transaction | undefined): number {
  return transaction === undefined ? 0 : transaction.readBytes + transaction.writeBytes;
}
