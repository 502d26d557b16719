/** Predicates as lists of conjuncts, and the test which of them may be moved. */

import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { literalOf } from '../bind/literal.ts';
import { bool } from '../bind/types.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import type { CanFailAnalysis } from '../facts/can-fail.ts';
import { isNeverNull } from '../facts/never-null.ts';
import { hasCrossing } from '../facts/tree.ts';
import type { RewriteBudget } from './rewrite-budget.ts';

export interface RewriteFacts {
  readonly failures: CanFailAnalysis;
  /** Ids of columns that are never NULL. */
  readonly neverNull: ReadonlySet<number>;
  readonly rewriteBudget: RewriteBudget;
  /** Whether left joins are rewritten as inner joins if the result is the same. */
  readonly narrows: boolean;
}

/**
 * A predicate in two parts. `free` conjuncts cannot raise and contain no crossing, so each of them may be tested at any time before the rest. `rest` is the
 * conjunction that must stay in place; `undefined` if it is empty.
 */
interface Divided {
  readonly free: readonly BoundExpression[];
  readonly rest: BoundExpression | undefined;
}

/**
 * Divides a predicate. If a conjunct can raise, testing another conjunct earlier might hide its error. Then only the conjuncts before it that are never
 * NULL are free: a FALSE stops the evaluation of `and`, but an UNKNOWN does not. If a crossing can raise, no conjunct is free, since crossings are evaluated
 * first.
 */
export function divide(predicate: BoundExpression, { failures, neverNull }: RewriteFacts): Divided {
  const conjuncts = conjunctsOf(predicate);
  const firstFailing = conjuncts.findIndex((conjunct) => failures.canRaise(conjunct));
  if (firstFailing >= 0 && hasRaisingCrossing(conjuncts.slice(firstFailing), failures)) {
    return { free: [], rest: predicate };
  }
  const free: BoundExpression[] = [];
  const rest: BoundExpression[] = [];
  conjuncts.forEach((conjunct, i) => {
    const isEarly = firstFailing < 0 || (i < firstFailing && isNeverNull(conjunct, neverNull));
    if (isTrue(conjunct) && isEarly) return;
    (isEarly && !hasCrossing(conjunct) ? free : rest).push(conjunct);
  });
  return { free, rest: conjunction(rest) };
}

function hasRaisingCrossing(
  conjuncts: readonly BoundExpression[],
  failures: CanFailAnalysis,
): boolean {
  return conjuncts.some((conjunct) => failures.canRaise(conjunct) && hasCrossing(conjunct));
}

export const alwaysTrue: BoundExpression = literalOf('bool', true);

/** Returns whether the expression is TRUE in each run of the plan. A claim is not: the next run may be that of another principal. */
export function isTrue(expression: BoundExpression): boolean {
  return (
    expression.kind === 'literal' && expression.value === true && expression.claim === undefined
  );
}

/** Returns the conjunction of all conjuncts; `undefined` if there are none. */
export function conjunction(conjuncts: readonly BoundExpression[]): BoundExpression | undefined {
  const [only] = conjuncts;
  if (conjuncts.length < 2) return only;
  const nullable = conjuncts.some((conjunct) => conjunct.nullable);
  return { kind: 'logical', op: 'and', operands: conjuncts, type: bool, nullable };
}

/** Returns `input` filtered by the conjuncts, or `input` itself if there are none. */
export function filtered(
  input: BoundRelation,
  conjuncts: readonly BoundExpression[],
): BoundRelation {
  const predicate = conjunction(conjuncts);
  if (predicate === undefined) return input;
  const { node, columns, ordered, rowsMax, key } = input;
  return { kind: 'filter', node, input, predicate, columns, ordered, rowsMax, key };
}
