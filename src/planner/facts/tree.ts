/** The edges of the bound tree. */

import { unreachable } from '#base';
import type { BoundCrossing, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { operandsOf } from '../bind/columns-read.ts';

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
