/** Relations: each kind of node in turn, inputs before expressions, left to right (lir.md §3, §4). */

import { invariant, unreachable } from '#base';
import { type Node, nodeOf } from '#lir';
import { bindAggregate } from './aggregate.ts';
import type { BoundRelation } from './bound.ts';
import type { BindContext } from './context.ts';
import { bindJoin } from './join.ts';
import { bindFrontier, bindReference, bindRows, bindScan } from './leaf.ts';
import { bindProject } from './project.ts';
import { bindDistinct, bindFilter, bindOrder, bindSlice } from './row-passing.ts';
import type { Enclosing, Scope } from './scope.ts';
import { bindConcatenate, bindSet } from './set.ts';
import type { Pins } from './unique-proof.ts';

/** What a relation sees and may do where it stands. */
export interface Place {
  readonly enclosing: Enclosing | undefined;
  /** Where the relation is that may not read the frontier of a recursion; undefined where it may. */
  readonly frontierRefusal: string | undefined;
}

export interface Bound {
  readonly relation: BoundRelation;
  /** Visible to the consumer, which may add to it. */
  readonly scopes: Map<string, Scope>;
  /** Kept along a chain of filters, orders and slices over a scan. */
  readonly pins: Pins | undefined;
}

export function bindRelation(context: BindContext, id: string, place: Place): Bound {
  const node = nodeOf(context.query, id);
  invariant(node !== undefined, 'the graph was checked');
  context.enter(node, id);
  const bound = bindNode(context, id, node, place);
  context.leave();
  return bound;
}

function bindNode(context: BindContext, id: string, node: Node, place: Place): Bound {
  switch (node.kind) {
    case 'scan':
      return bindScan(context, id, node);
    case 'rows':
      return bindRows(context, id, node);
    case 'ref':
      return bindReference(context, id, node);
    case 'recursive_ref':
      return bindFrontier(context, id, node, place);
    case 'filter':
      return bindFilter(context, id, node, place);
    case 'project':
      return bindProject(context, id, node, place);
    case 'join':
      return bindJoin(context, id, node, place);
    case 'concatenate':
      return bindConcatenate(context, id, node, place);
    case 'intersect':
    case 'except':
      return bindSet(context, id, node, place);
    case 'aggregate':
      return bindAggregate(context, id, node, place);
    case 'order':
      return bindOrder(context, id, node, place);
    case 'slice':
      return bindSlice(context, id, node, place);
    case 'distinct':
      return bindDistinct(context, id, node, place);
    default:
      return unreachable(node);
  }
}
