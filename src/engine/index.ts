/**
 * Opens and closes a database: the single handle for the modules above.
 *
 * An `Engine` owns a store and the committed catalog. The engine plans a program for the committed catalog, or uses a cached plan that is still
 * valid. A read-only program runs on a snapshot. Any other program runs in a transaction, which is then committed. After a conflict the program
 * runs again, the third time with an exclusive commit. The engine returns no result, of a read or a write, before the state in the result is
 * durable.
 * Start reading at `execution.ts`, then `attempt.ts`.
 */

export {
  ClientGone,
  type KeyValueWork,
  type OperatorRecord,
  type ProgramTrace,
  type ReferenceCheck,
  type StatementTrace,
} from '#executor';
export type { Explanation } from '#planner';
export type { RequestContext, RequestFacts } from './admission/request-context.ts';
export type { AdmissionStatistics } from './admission/statistics.ts';
export type { Engine } from './engine.ts';
export { EngineMeters } from './meters.ts';
export { openEngine } from './open-engine.ts';
export type { EngineOptions, FormerDatabase } from './options.ts';
export { fingerprint, identifySteps, type ProgramIdentity } from './prepared/identity.ts';
export { type CachedPlan, oldestOf, type PlanCache, type PlanKey } from './prepared/plan-cache.ts';
export { type KnownProgram, PreparedProgram } from './prepared/prepared-program.ts';
export { isSameState, type ReadState } from './read-state.ts';
export type { ProgramRequest, ProgramResponse, ShapedRows } from './response.ts';
export type { EngineTransaction } from './session/engine-transaction.ts';
export type { StorageHealth } from './storage-health.ts';
