/**
 * PIR: the atomic program, an ordered list of named statements (pir.md).
 *
 * Nouns: a statement is relational (a query or a mutation over a LIR relation), a catalog change, or the start of a transition;
 * the envelope is everything of a program but its relations; the selected result is the statement whose rows are returned.
 * Invariants: the types are the wire form itself. A program that passed `checkEnvelope` has unique statement names, no statement
 * that its caller has no authority for, and a known result.
 * Start reading at `program.ts`, then `envelope.ts`.
 */

export { checkEnvelope, type EnvelopeRules } from './envelope.ts';
export { programLimits } from './limits.ts';
export type * from './program.ts';
export { programFamilyText, programText } from './program-text.ts';
export { programOfQuery, queryName } from './query-program.ts';
export { isCatalog, isMutation, isRelational, isTransition } from './statement.ts';
