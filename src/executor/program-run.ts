/** One execution of a program: what its statements share, and what each of them starts with. */

import type { World } from '#base';
import type { StatementMeter } from '#observe';
import type { ProgramPlan, QueryPlan } from '#planner';
import type { ReadView, Transaction } from '#storage';
import type { Datum } from '#value';
import type { RowStore } from './batch/row-store.ts';
import type { Budget } from './budget.ts';
import type { Memory } from './memory.ts';
import { partsAtOnce } from './operators/build.ts';
import type { QueryRun } from './operators/operator.ts';
import type { Site } from './site.ts';
import type { ProgramTrace } from './trace/program-trace.ts';

export interface ExecutionContext {
  /** What is read: a snapshot, or the transaction. */
  readonly view: ReadView;
  /** Where effects go; absent for programs without any. */
  readonly transaction?: Transaction | undefined;
  readonly world: World;
  /** Time and memory of the request: all attempts of the program share them. */
  readonly budget: Budget;
  readonly memory: Memory;
  /** Where its statements are counted. */
  readonly statements?: StatementMeter | undefined;
  /** Of a request that wants to know what it does. */
  readonly trace?: ProgramTrace | undefined;
}

export class ProgramRun {
  readonly plan: ProgramPlan;
  readonly context: ExecutionContext;
  readonly budget: Budget;
  readonly memory: Memory;
  /** Rows of statements that later ones read. */
  readonly results = new Map<string, RowStore>();
  /** Memory of `results` and of the program's result. */
  keptBytes = 0;
  /** `context.transaction.readBytes` at the beginning: of earlier programs in the transaction. */
  private readonly readBytesBefore: number;
  /** Of what came since, what is in account beyond the running statement. */
  private readBytesKept = 0;
  /** The query that runs right now. */
  query: QueryRun | undefined;

  constructor(plan: ProgramPlan, context: ExecutionContext) {
    this.plan = plan;
    this.context = context;
    this.budget = context.budget;
    this.memory = context.memory;
    this.readBytesBefore = context.transaction?.readBytes ?? 0;
    // What an attempt before this one held is gone.
    this.memory.keepOnly(0);
  }

  startQuery(plan: QueryPlan): QueryRun {
    const registers: Datum[] = [];
    for (let i = 0; i < plan.registerCount; i++) registers.push(null);
    const sites: Site[] = [];
    this.query = {
      view: this.context.view,
      budget: this.budget,
      memory: this.memory,
      frame: {
        parameters: this.plan.parameters,
        registers,
        ahead: plan.parts > partsAtOnce ? new Map() : undefined,
      },
      registers,
      bindings: new Map(),
      frontiers: new Map(),
      results: this.results,
      windows: undefined,
      sites,
      current: undefined,
      trace: this.context.trace?.operators,
    };
    return this.query;
  }

  /** What the running statement has added to what its transaction remembers of its reads. */
  get readBytes(): number {
    const { transaction } = this.context;
    if (transaction === undefined) return 0;
    return transaction.readBytes - this.readBytesBefore - this.readBytesKept;
  }

  /** Keeps memory in account beyond the running statement. */
  keep(bytes: number): void {
    this.keptBytes += bytes;
  }

  /** Between statements: what the operators held is free. */
  endStatement(): void {
    this.query = undefined;
    this.readBytesKept += this.readBytes;
    this.memory.keepOnly(this.keptBytes + this.readBytesKept);
  }
}
