/**
 * Determines which expressions are never NULL at run time. Static nullability does not prove that. A reference to the right side of a left join keeps its
 * declared nullability there (docs/lir.md §2). However, its value can be NULL, and any relation above can pass it on. Therefore only columns of tables and of
 * literal rows count, and only if no left join pads them.
 */

import { unreachable } from '#base';
import { inputsOf } from '#lir';
import { functions } from '#value';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { crossingsIn, expressionsOf } from './tree.ts';

/** Returns the ids of the columns of these trees, including crossings, that are never NULL. */
export function neverNullColumns(relations: readonly BoundRelation[]): ReadonlySet<number> {
  const neverNull = new Set<number>();
  const padded = new Set<number>();
  const open: BoundRelation[] = [...relations];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'scan' || part.kind === 'rows') {
      for (const column of part.columns) if (!column.nullable) neverNull.add(column.id);
    } else if (part.kind === 'join' && part.join === 'left') {
      for (const column of part.right.columns) padded.add(column.id);
    }
    for (const expression of expressionsOf(part)) {
      for (const crossing of crossingsIn(expression)) open.push(crossing.relation);
    }
    open.push(...inputsOf(part));
  }
  return neverNull.difference(padded);
}

export function isNeverNull(expression: BoundExpression, neverNull: ReadonlySet<number>): boolean {
  const all = (parts: readonly BoundExpression[]) =>
    parts.every((part) => isNeverNull(part, neverNull));
  switch (expression.kind) {
    case 'column':
      return neverNull.has(expression.id);
    case 'literal':
    case 'crossing':
      return !expression.nullable;
    case 'unary':
      return isNullTest(expression.op) || isNeverNull(expression.operand, neverNull);
    case 'cast':
      return isNeverNull(expression.operand, neverNull);
    case 'compare':
    case 'arithmetic':
      return all([expression.left, expression.right]);
    case 'logical':
      return all(expression.operands);
    case 'branch':
      return all([...expression.arms.map((arm) => arm.then), expression.otherwise]);
    case 'coalesce':
      return expression.operands.some((operand) => isNeverNull(operand, neverNull));
    case 'call':
      return functions[expression.fn].nulls === 'refuse' || all(expression.operands);
    case 'text_match':
      return isNeverNull(expression.value, neverNull);
    default:
      return unreachable(expression);
  }
}

function isNullTest(op: string): boolean {
  return op === 'is_null' || op === 'is_not_null';
}
