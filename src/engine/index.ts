/**
 * Opens everything in order, closes it in reverse: the one handle that outer rooms hold.
 *
 * An `Engine` owns a store and the committed catalog. A program is planned for the committed catalog, unless a plan of it is known that holds. One that
 * only reads runs on a snapshot, another one in a transaction, which is committed; a lost race is run again, the third time while no one else commits.
 * Nothing is answered, of a read or a write, before the state that the answer shows is durable.
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
export type { AdmissionStatistics } from './admission/statistics.ts';
export type { RequestFacts, Ticket } from './admission/ticket.ts';
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
