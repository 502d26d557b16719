/** From a rewritten bound relation to a plan: each kind in its own file, and the facts that people want to see. */

import { type Steps, unreachable } from '#base';
import type { BoundRelation } from '../bind/bound.ts';
import { lowerAggregate } from './aggregate.ts';
import { lowerFilter } from './filter.ts';
import type { Frame } from './frame.ts';
import { lowerJoin } from './join.ts';
import { lowerFrontier, lowerReference, lowerRows } from './leaf.ts';
import { lowerOrder, lowerSlice } from './order.ts';
import type { Planning } from './planning.ts';
import { lowerProject } from './project.ts';
import { lowerScan } from './scan.ts';
import { lowerConcatenate, lowerDistinct, lowerSet } from './set.ts';
import type { Lowered, Want } from './want.ts';

/** `frame`: the enclosing rows, for a plan that runs for each of them. */
export function* lowerRelation(
  planning: Planning,
  relation: BoundRelation,
  want: Want,
  frame: Frame | undefined,
): Steps<Lowered> {
  const wait = planning.pause(relation);
  if (wait !== undefined) yield wait;
  const lowered = isLeaf(relation)
    ? lowerLeaf(planning, relation, want, frame)
    : yield* lowerInner(planning, relation, want, frame);
  const after = planning.between();
  if (after !== undefined) yield after;
  return withFacts(relation, lowered);
}

type Leaf = Extract<BoundRelation, { kind: 'scan' | 'rows' | 'reference' | 'frontier' }>;

function isLeaf(relation: BoundRelation): relation is Leaf {
  const { kind } = relation;
  return kind === 'scan' || kind === 'rows' || kind === 'reference' || kind === 'frontier';
}

function lowerLeaf(
  planning: Planning,
  relation: Leaf,
  want: Want,
  frame: Frame | undefined,
): Lowered {
  switch (relation.kind) {
    case 'scan':
      return lowerScan(planning, relation, [], want, frame);
    case 'rows':
      return lowerRows(planning, relation);
    case 'reference':
      return lowerReference(planning, relation, want);
    case 'frontier':
      return lowerFrontier(planning, relation);
    default:
      return unreachable(relation);
  }
}

function lowerInner(
  planning: Planning,
  relation: Exclude<BoundRelation, Leaf>,
  want: Want,
  frame: Frame | undefined,
): Steps<Lowered> {
  switch (relation.kind) {
    case 'filter':
      return lowerFilter(planning, relation, want, frame);
    case 'project':
      return lowerProject(planning, relation, want, frame);
    case 'join':
      return lowerJoin(planning, relation, want, frame);
    case 'concatenate':
      return lowerConcatenate(planning, relation, want, frame);
    case 'intersect':
    case 'except':
      return lowerSet(planning, relation, frame);
    case 'aggregate':
      return lowerAggregate(planning, relation, want, frame);
    case 'order':
      return lowerOrder(planning, relation, want, frame);
    case 'slice':
      return lowerSlice(planning, relation, want, frame);
    case 'distinct':
      return lowerDistinct(planning, relation, frame);
    default:
      return unreachable(relation);
  }
}

/** The innermost relation that a plan stands for names it. */
function withFacts({ node, rowsMax }: BoundRelation, lowered: Lowered): Lowered {
  const { plan, slots, ordering } = lowered;
  if (plan.facts !== undefined) return lowered;
  const order: string[] = [];
  for (const { id, descending } of ordering.keys) {
    const name = plan.output[slots.get(id) ?? -1]?.name;
    if (name === undefined) break;
    order.push(descending ? `${name} desc` : name);
  }
  const bound = rowsMax === Infinity ? undefined : rowsMax;
  return { ...lowered, plan: { ...plan, facts: { node, rowsMax: bound, order } } };
}
