/** How much work moving predicates may take. */

import { expect, test } from 'bun:test';
import type { BoundExpression } from '../../../src/planner/bind/bound.ts';
import { RewriteBudget } from '../../../src/planner/rewrite/rewrite-budget.ts';

/** An expression of so many parts, and how often they were walked through. */
function sized(parts: number) {
  let walks = 0;
  const operands = Array.from({ length: parts - 1 }, () => ({ kind: 'literal' }));
  const expression = {
    kind: 'logical',
    op: 'and',
    get operands() {
      walks++;
      return operands;
    },
  };
  return { expression: expression as unknown as BoundExpression, walks: () => walks };
}

test('up to 100,000 parts are moved, all together; what would be more costs nothing', () => {
  const rewriteBudget = new RewriteBudget();
  const { expression: most } = sized(99_990);
  const { expression: small } = sized(6);
  expect(rewriteBudget.spend([most])).toBe(true);
  expect(rewriteBudget.spend([small, small])).toBe(false);
  expect(rewriteBudget.spend([small])).toBe(true);
  expect(rewriteBudget.spend([small])).toBe(false);
  expect(rewriteBudget.spend([sized(4).expression])).toBe(true);
  expect(rewriteBudget.spend([sized(1).expression])).toBe(false);
});

test('an expression is counted once, however often it is moved', () => {
  const rewriteBudget = new RewriteBudget();
  const { expression, walks } = sized(10);
  for (let i = 0; i < 5; i++) rewriteBudget.spend([expression]);
  expect(walks()).toBe(1);
});
