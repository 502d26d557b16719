/** Binds `coalesce`: the first value that is not NULL (docs/lir.md §6.7). */

import { isScalarType } from '#value';
import type { BoundCoalesce } from './bound.ts';
import { bindExpression, type ExpressionOf, mistyped } from './expression.ts';
import type { ExpressionContext } from './expression-context.ts';
import { sameType } from './types.ts';

/** Binds a coalesce. Only its first operand is evaluated for every row, so only that one may contain a crossing. */
export function bindCoalesce(
  site: ExpressionContext,
  expression: ExpressionOf<'coalesce'>,
): BoundCoalesce {
  const later = site.withoutCrossings('only the first value of a coalesce may contain a crossing');
  const operands = expression.args.map((arg, i) => bindExpression(i === 0 ? site : later, arg));
  const { type } = operands[0] as (typeof operands)[number];
  for (const [i, operand] of operands.entries()) {
    if (isScalarType(operand.type) && sameType(operand.type, type)) continue;
    const detail = `the values of a coalesce must have one scalar type, got ${type.kind} and ${operand.type.kind}`;
    throw mistyped(site, expression.args[i] as object, detail);
  }
  const nullable = operands.every((operand) => operand.nullable);
  return { kind: 'coalesce', operands, type, nullable };
}
