/** The edges of the bound tree, and what lies beneath a relation. */

import { unreachable } from '#base';
import type { BoundCrossing, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { addColumnsReadBy, operandsOf } from './columns-read.ts';

/** The relations that `relation` reads directly, left to right; those of crossings are not among them. */
export function inputsOf(relation: BoundRelation): readonly BoundRelation[] {
  switch (relation.kind) {
    case 'scan':
    case 'rows':
    case 'reference':
    case 'frontier':
      return [];
    case 'filter':
    case 'project':
    case 'aggregate':
    case 'order':
    case 'slice':
    case 'distinct':
      return [relation.input];
    case 'join':
    case 'intersect':
    case 'except':
      return [relation.left, relation.right];
    case 'concatenate':
      return relation.inputs;
    default:
      return unreachable(relation);
  }
}

/** The expressions of the relation itself. */
export function expressionsOf(relation: BoundRelation): readonly BoundExpression[] {
  switch (relation.kind) {
    case 'filter':
      return [relation.predicate];
    case 'project':
      return relation.fields;
    case 'join':
      return [relation.on];
    case 'aggregate':
      return [...relation.groups, ...relation.folds.flatMap((fold) => fold.argument ?? [])];
    case 'order':
      return relation.terms.map((term) => term.expression);
    default:
      return [];
  }
}

/** The crossings of an expression that are not inside another crossing, left to right. */
export function crossingsIn(expression: BoundExpression): readonly BoundCrossing[] {
  const found: BoundCrossing[] = [];
  const open: BoundExpression[] = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'crossing') found.push(part);
    const operands = operandsOf(part);
    for (let i = operands.length - 1; i >= 0; i--) open.push(operands[i] as BoundExpression);
  }
  return found;
}

export function hasCrossing(expression: BoundExpression): boolean {
  return crossingsIn(expression).length > 0;
}

/** What a subtree, its crossings included, has to do with its surroundings. */
export interface Dependence {
  /** It reads columns that are made outside of it. */
  readonly isCorrelated: boolean;
  readonly readsFrontier: boolean;
}

export function dependenceOf(relation: BoundRelation): Dependence {
  const read = new Set<number>();
  const made = new Set<number>();
  let readsFrontier = false;
  const open: BoundRelation[] = [relation];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'frontier') readsFrontier = true;
    for (const column of part.columns) made.add(column.id);
    for (const expression of expressionsOf(part)) {
      addColumnsReadBy(expression, read);
      for (const crossing of crossingsIn(expression)) open.push(crossing.relation);
    }
    open.push(...inputsOf(part));
  }
  return { isCorrelated: !read.isSubsetOf(made), readsFrontier };
}
