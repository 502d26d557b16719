/** How much there is to do for each row of an expression. */

import { expect, test } from 'bun:test';
import type { PlanExpression } from '#planner';
import { batchRowsMax } from '../../src/executor/batch/vector.ts';
import {
  rowsInOneGo,
  rowsOfTerms,
  sizeOf,
  termsOfRow,
} from '../../src/executor/operators/expression-size.ts';
import { arith, col, compare, logical, scalar } from './support/plans.ts';

const [a, b] = [col(0, 'int64'), col(1, 'int64')];
const isLess = compare('lt', a, b);
const unary: PlanExpression = { kind: 'unary', op: 'not', operand: isLess, type: scalar('bool') };

test.each([
  ['a column', [a], 1],
  ['two of them', [a, b], 2],
  ['a comparison', [isLess], 3],
  ['arithmetic', [arith('add', a, arith('mul', a, b))], 5],
  ['and', [logical('and', isLess, isLess, a)], 8],
  ['not', [unary], 4],
  [
    'a branch',
    [
      {
        kind: 'branch',
        arms: [
          { when: isLess, then: a },
          { when: isLess, then: b },
        ],
        otherwise: arith('add', a, b),
        type: scalar('int64'),
      } as PlanExpression,
    ],
    14,
  ],
] as const)('every operation and every operand is a term: %s', (_, expressions, terms) => {
  expect(sizeOf(expressions)).toBe(terms);
});

test('up to 256 terms are evaluated for a whole batch, twice as many for half of one, and at least for a row', () => {
  expect(rowsOfTerms(termsOfRow)).toBe(batchRowsMax);
  expect(rowsOfTerms(2 * termsOfRow)).toBe(batchRowsMax / 2);
  expect(rowsOfTerms(1e9)).toBe(1);
  expect(rowsInOneGo(Array.from({ length: 4 * termsOfRow }, () => a))).toBe(batchRowsMax / 4);
});
