/** The expressions of a bound tree, and the crossings in them. */

import type { BoundCrossing, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { operandsOf } from '../bind/operands.ts';

/** Returns the relation's own expressions, without those of its inputs. */
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

/** Returns the crossings of an expression that are not inside another crossing, from left to right. */
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
