/**
 * The oracle: a naive evaluator of programs over plain arrays, written from lir.md and pir.md alone.
 *
 * It shares no code with the engine but the document types. It has no plan, no index and no key: every relation is an array, every crossing is
 * evaluated for every row, every constraint is checked by looking at all rows. Where the specification leaves open which of several
 * errors is reported, it returns all of them. Start reading at `program.ts`, then `node.ts`.
 */

export { applyChange } from './catalog.ts';
export { copyDatabase, type Database, emptyDatabase } from './database.ts';
export { tableTexts } from './dump.ts';
export type { UserPolicies } from './policies.ts';
export { type Outcome, type Refusal, runProgram } from './program.ts';
