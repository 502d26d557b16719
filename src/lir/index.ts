/**
 * LIR: the relation graph of one query, in the form of documents (lir.md).
 *
 * Terms: a query is a forest of nodes with a root and named bindings; a node reads other nodes through edges (its inputs, and the crossings in
 * its expressions); an expression is a tree inside one node. This module neither resolves names nor depends on storage.
 *
 * Invariants: the types are the wire form itself, so that a checked document has the type `Query`. After `checkGraphSteps`, every edge leads to
 * an existing node, each node has one consumer, and there is no cycle. Walkers never recurse over nodes. Look up ids and binding names with
 * `nodeOf` and `bindingOf`: a plain member access would find `constructor`.
 *
 * Start with `query.ts`, then `walk.ts` and `graph.ts`.
 */

export { familyOf, familyOfPart } from './family.ts';
export { checkGraphSteps } from './graph.ts';
export { locate, pointerOf, resolvePointer } from './pointer.ts';
export type * from './query.ts';
export { queryText } from './query-text.ts';
export {
  bindingOf,
  bindingRoots,
  type Crossing,
  crossingsOf,
  inputsOf,
  isCrossing,
  nodeOf,
  operandsOf,
} from './walk.ts';
