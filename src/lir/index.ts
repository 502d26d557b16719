/**
 * LIR: the relation graph of one query, as it stands in documents (lir.md).
 *
 * Nouns: a query is a forest of nodes with a root and named bindings; a node reads other nodes through edges (its inputs, and
 * the crossings in its expressions); an expression is a tree inside one node. Nothing here resolves names or knows storage.
 * Invariants: the types are the wire form itself, so a checked document has type `Query` as it is; after `checkGraphSteps` every edge
 * leads to an existing node, each node has one consumer, and there is no cycle. Walkers never recurse over nodes.
 * Look ids and binding names up with `nodeOf` and `bindingOf`: a plain member access would meet `constructor`.
 * Start reading at `query.ts`, then `walk.ts` and `graph.ts`.
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
