/**
 * The executor: runs a plan over one consistent state.
 *
 * Terms: operator (pulls batches from its inputs and is polled, see decision 0001), batch (up to 1,024 rows as column vectors plus a selection),
 * kernel (an expression compiled to one loop over a selection), row store (rows in memory, with memory accounting), mutation (a set of changes
 * that is derived from a whole relation, applied, then checked on the resulting state), effect (work on data that a catalog change requires).
 *
 * Invariants: all work is synchronous unless storage or the time slice makes it wait; a batch is valid until the next call; an error is raised
 * exactly for rows that are evaluated; the memory of a program stays under its limit; after any failure, the caller has to release the
 * transaction.
 *
 * Start with `execute.ts`, then `operators/operator.ts` and `kernels/kernel.ts`; mutations begin in `mutate/mutation-statement.ts`.
 */

export { Budget, type BudgetOptions, ClientGone, sliceMs } from './budget.ts';
export { Deadlines } from './deadlines.ts';
export { KeyedColumns } from './effects/keyed-columns.ts';
export { executeProgram } from './execute.ts';
export { Memory } from './memory.ts';
export { MemoryPool } from './memory-pool.ts';
export { EntryBuffer, type RunLimits, usualRun } from './mutate/entry-buffer.ts';
export type { ProgramOutcome, ProgramResult } from './outcome.ts';
export type { ProgramContext } from './program-run.ts';
export type { ResultSink } from './result-sink.ts';
export type { OperatorRecord } from './trace/operator-trace.ts';
export {
  type KeyValueWork,
  ProgramTrace,
  type StatementTrace,
  type TransactionEnd,
} from './trace/program-trace.ts';
export type { ReferenceCheck } from './trace/reference-trace.ts';
export { TraceMeter } from './trace/trace-meter.ts';
