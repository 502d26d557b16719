/** Moves filters by crossings above inner joins. If a join leaves few rows, few crossings are evaluated. */

import type { BoundExpression, BoundFilter, BoundJoin, BoundRelation } from '../bind/bound.ts';
import { conjunction, divide, filtered, type RewriteFacts } from './conjuncts.ts';

/** Returns the joins with all such filters above them; `undefined` if there are none, or if an expression of the join can raise. */
export function withTestsAbove(join: BoundJoin, facts: RewriteFacts): BoundFilter | undefined {
  if (facts.failures.relationCanRaise(join)) return undefined;
  const tests: BoundExpression[] = [];
  const input = lifted(join, tests, facts);
  const predicate = conjunction(tests);
  if (predicate === undefined) return undefined;
  const { node, columns, ordered, rowsMax, key } = join;
  return { kind: 'filter', node, input, predicate, columns, ordered, rowsMax, key };
}

function lifted(
  relation: BoundRelation,
  tests: BoundExpression[],
  facts: RewriteFacts,
): BoundRelation {
  if (relation.kind === 'filter') {
    const { free, rest } = divide(relation.predicate, facts);
    if (rest === undefined) return relation;
    // Nothing can raise, so a conjunct that is not free contains a crossing.
    tests.push(rest);
    return filtered(lifted(relation.input, tests, facts), free);
  }
  if (relation.kind !== 'join' || relation.join !== 'inner') return relation;
  const before = tests.length;
  const left = lifted(relation.left, tests, facts);
  const right = lifted(relation.right, tests, facts);
  if (tests.length === before) return relation;
  // Facts that were proven for the filtered rows do not hold without the filter.
  return { ...relation, left, right, rowsMax: Infinity, key: undefined };
}
