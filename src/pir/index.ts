/**
 * PIR: the atomic program, an ordered list of named statements (pir.md).
 *
 * Terms: a statement is relational (a query or a mutation over a LIR relation), a catalog change, or the start of a transition. The envelope is
 * the program without its relations. The selected result is the statement whose rows are returned.
 *
 * Invariants: the types are the wire form itself. A program that passed `checkEnvelope` has unique statement names, no statement for which its
 * caller lacks the authority, and a known result.
 *
 * Start with `program.ts`, then `envelope.ts`.
 */

export { checkEnvelope, type EnvelopeRules } from './envelope.ts';
export { programLimits } from './limits.ts';
export type * from './program.ts';
export { programFamilyText, programText } from './program-text.ts';
export { programOfQuery, queryName } from './query-program.ts';
export { isCatalog, isMutation, isRelational, isTransition } from './statement.ts';
