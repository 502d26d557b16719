/** Lowers a rewritten bound relation to a plan. Each kind of relation has its own file. This file adds the facts that EXPLAIN shows. */

import { type Steps, unreachable } from '#base';
import type { BoundRelation } from '../bind/bound.ts';
import { lowerAggregate } from './aggregate.ts';
import { lowerFilter } from './filter.ts';
import { lowerJoin } from './join.ts';
import { lowerFrontier, lowerReference, lowerRows } from './leaf.ts';
import { lowerOrder, lowerSlice } from './order.ts';
import type { Planning } from './planning.ts';
import { lowerProject } from './project.ts';
import type { Lowered, Requirements } from './required-columns.ts';
import { lowerScan } from './scan.ts';
import { lowerConcatenate, lowerDistinct, lowerSet } from './set.ts';

export function* lowerRelation(
  planning: Planning,
  relation: BoundRelation,
  required: Requirements,
): Steps<Lowered> {
  const wait = planning.pause(relation);
  if (wait !== undefined) yield wait;
  const made = lowerKind(planning, relation, required);
  const lowered = 'plan' in made ? made : yield* made;
  const after = planning.between();
  if (after !== undefined) yield after;
  return withFacts(relation, lowered);
}

/** Lowers a relation by its kind. Relations without inputs are lowered immediately, all others in steps. */
function lowerKind(
  planning: Planning,
  relation: BoundRelation,
  required: Requirements,
): Lowered | Steps<Lowered> {
  switch (relation.kind) {
    case 'scan':
      return lowerScan(planning, relation, required);
    case 'rows':
      return lowerRows(planning, relation);
    case 'reference':
      return lowerReference(planning, relation, required);
    case 'frontier':
      return lowerFrontier(planning, relation);
    case 'filter':
      return lowerFilter(planning, relation, required);
    case 'project':
      return lowerProject(planning, relation, required);
    case 'join':
      return lowerJoin(planning, relation, required);
    case 'concatenate':
      return lowerConcatenate(planning, relation, required);
    case 'intersect':
    case 'except':
      return lowerSet(planning, relation, required);
    case 'aggregate':
      return lowerAggregate(planning, relation, required);
    case 'order':
      return lowerOrder(planning, relation, required);
    case 'slice':
      return lowerSlice(planning, relation, required);
    case 'distinct':
      return lowerDistinct(planning, relation, required);
    default:
      return unreachable(relation);
  }
}

/** Adds facts to a plan. If one plan implements several nested relations, the innermost one names it. */
function withFacts({ node, rowsMax }: BoundRelation, lowered: Lowered): Lowered {
  const { plan, columnIndexes, ordering } = lowered;
  if (plan.facts !== undefined) return lowered;
  const order: string[] = [];
  for (const { id, descending } of ordering.keys) {
    const name = plan.output[columnIndexes.get(id) ?? -1]?.name;
    if (name === undefined) break;
    order.push(descending ? `${name} desc` : name);
  }
  const bound = rowsMax === Infinity ? undefined : rowsMax;
  return { ...lowered, plan: { ...plan, facts: { node, rowsMax: bound, order } } };
}
