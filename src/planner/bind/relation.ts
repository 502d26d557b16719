/** Binds relations by the kind of their node: inputs before expressions, from left to right (docs/lir.md §4, §5). */

import { invariant, type Steps, unreachable } from '#base';
import { type Node, nodeOf } from '#lir';
import { bindAggregate } from './aggregate.ts';
import type { BindContext } from './context.ts';
import { bindJoin } from './join.ts';
import { bindFrontier, bindReference, bindScan } from './leaf.ts';
import { NodeSite } from './node-site.ts';
import { bindProject } from './project.ts';
import type { BoundInScope, RelationContext } from './relation-context.ts';
import { bindDistinct, bindFilter, bindOrder, bindSlice } from './row-passing.ts';
import { bindRows } from './rows.ts';
import { bindConcatenate, bindSet } from './set.ts';

export function* bindRelation(
  context: BindContext,
  id: string,
  place: RelationContext,
): Steps<BoundInScope> {
  const wait = context.pause();
  if (wait !== undefined) yield wait;
  const node = nodeOf(context.query, id);
  invariant(node !== undefined, 'the graph was checked');
  context.enter(node, id);
  const made = bindNode(new NodeSite(context, id, node, place), node);
  const bound = 'relation' in made ? made : yield* made;
  context.leave();
  context.made(node, id, bound.relation.columns.length);
  return bound;
}

/** Binds a node. A node without inputs is bound immediately, all others in steps. */
function bindNode(at: NodeSite, node: Node): BoundInScope | Steps<BoundInScope> {
  switch (node.kind) {
    case 'scan':
      return bindScan(at, node);
    case 'ref':
      return bindReference(at, node);
    case 'recursive_ref':
      return bindFrontier(at, node);
    case 'rows':
      return bindRows(at, node);
    case 'filter':
      return bindFilter(at, node);
    case 'project':
      return bindProject(at, node);
    case 'join':
      return bindJoin(at, node);
    case 'concatenate':
      return bindConcatenate(at, node);
    case 'intersect':
    case 'except':
      return bindSet(at, node);
    case 'aggregate':
      return bindAggregate(at, node);
    case 'order':
      return bindOrder(at, node);
    case 'slice':
      return bindSlice(at, node);
    case 'distinct':
      return bindDistinct(at, node);
    default:
      return unreachable(node);
  }
}
