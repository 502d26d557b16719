/** Relations: each kind of node in turn, inputs before expressions, left to right (lir.md §3, §4). */

import { invariant, type Steps, unreachable } from '#base';
import { type Node, nodeOf, type RefNode, type ScanNode } from '#lir';
import { bindAggregate } from './aggregate.ts';
import type { BindContext } from './context.ts';
import { bindJoin } from './join.ts';
import { bindFrontier, bindReference, bindScan } from './leaf.ts';
import type { Bound, Place } from './place.ts';
import { bindProject } from './project.ts';
import { bindDistinct, bindFilter, bindOrder, bindSlice } from './row-passing.ts';
import { bindRows } from './rows.ts';
import { bindConcatenate, bindSet } from './set.ts';

export function* bindRelation(context: BindContext, id: string, place: Place): Steps<Bound> {
  const wait = context.pause();
  if (wait !== undefined) yield wait;
  const node = nodeOf(context.query, id);
  invariant(node !== undefined, 'the graph was checked');
  context.enter(node, id);
  const bound = isNamed(node)
    ? bindNamed(context, id, node, place)
    : yield* bindInner(context, id, node, place);
  context.leave();
  context.made(node, id, bound.relation.columns.length);
  return bound;
}

type NamedNode = ScanNode | RefNode;

/** What a name stands for is there as a whole. */
function isNamed(node: Node): node is NamedNode {
  return node.kind === 'scan' || node.kind === 'ref' || node.kind === 'recursive_ref';
}

function bindNamed(context: BindContext, id: string, node: NamedNode, place: Place): Bound {
  if (node.kind === 'scan') return bindScan(context, id, node);
  return node.kind === 'ref'
    ? bindReference(context, id, node)
    : bindFrontier(context, id, node, place);
}

function bindInner(
  context: BindContext,
  id: string,
  node: Exclude<Node, NamedNode>,
  place: Place,
): Steps<Bound> {
  switch (node.kind) {
    case 'rows':
      return bindRows(context, id, node);
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
