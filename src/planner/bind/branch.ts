/**
 * Binds `branch`: bool predicates, and results of one scalar type without widening. A branch may not contain a crossing at any depth (docs/lir.md §6.7).
 */

import { isScalarType } from '#value';
import type { BoundBranch } from './bound.ts';
import { bindExpression, bindPredicate, type ExpressionOf, mistyped } from './expression.ts';
import type { ExpressionContext } from './expression-context.ts';
import { sameType } from './types.ts';

export function bindBranch(
  outside: ExpressionContext,
  expression: ExpressionOf<'branch'>,
): BoundBranch {
  const site = outside.withoutCrossings('a branch may not contain a crossing');
  const arms = expression.branches.map((arm) => ({
    when: bindPredicate(site, arm.when, 'branch predicate'),
    then: bindExpression(site, arm.then),
    source: arm.then,
  }));
  const otherwise = bindExpression(site, expression.else);
  const results = arms.map(({ then, source }) => ({ bound: then, source }));
  results.push({ bound: otherwise, source: expression.else });
  const type = (arms[0]?.then ?? otherwise).type;
  for (const { bound, source } of results) {
    if (isScalarType(bound.type) && sameType(bound.type, type)) continue;
    const detail = `the results of a branch must have one scalar type, got ${type.kind} and ${bound.type.kind}`;
    throw mistyped(site, source, detail);
  }
  const nullable = results.some(({ bound }) => bound.nullable);
  return {
    kind: 'branch',
    arms: arms.map(({ when, then }) => ({ when, then })),
    otherwise,
    type,
    nullable,
  };
}
