/** Filters by crossings, lifted above inner joins: where the joins leave few rows, few are tested. */

import type { BoundExpression, BoundFilter, BoundJoin, BoundRelation } from '../bind/bound.ts';
import { conjunction, divide, filtered, type RewriteFacts } from './conjuncts.ts';

/** The joins with such filters of their sides above all of them; undefined when there are none, or something could raise that has not before. */
export function withTestsAbove(join: BoundJoin, facts: RewriteFacts): BoundFilter | undefined {
  if (facts.hazards.relationCanRaise(join)) return undefined;
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
    // Nothing can raise: what is not free has a crossing.
    tests.push(rest);
    return filtered(lifted(relation.input, tests, facts), free);
  }
  if (relation.kind !== 'join' || relation.join !== 'inner') return relation;
  const before = tests.length;
  const left = lifted(relation.left, tests, facts);
  const right = lifted(relation.right, tests, facts);
  if (tests.length === before) return relation;
  // What was proven of filtered rows does not hold of all of them.
  return { ...relation, left, right, rowsMax: Infinity, key: undefined };
}
