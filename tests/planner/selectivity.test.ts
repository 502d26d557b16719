/** What predicates keep is estimated with bounded work. Counted, not timed. */

import { expect, test } from 'bun:test';
import type { BoundExpression, BoundRelation } from '../../src/planner/bind/bound.ts';
import { bool } from '../../src/planner/bind/types.ts';
import { shareOf } from '../../src/planner/cost/selectivity.ts';
import type { TableRows } from '../../src/planner/cost/table-rows.ts';
import { catalog } from './support.ts';

const [table] = catalog.tables as [(typeof catalog.tables)[number]];
const columns = table.columns.map((column, id) => ({ ...column, id }));
const relation = { kind: 'scan', table, columns } as unknown as BoundRelation;
const int64 = { kind: 'int64' } as const;

/** Column 0 equals one of so many values; what the estimate asks of the surveys is counted. */
function anyOf(terms: number, shareOfOne: number) {
  let asked = 0;
  const counts = {
    equalShare: () => {
      asked++;
      return shareOfOne;
    },
  } as unknown as TableRows;
  const left = { kind: 'column', id: 0, type: int64, nullable: false };
  const operands = Array.from({ length: terms }, (_, value) => {
    const right = { kind: 'literal', value, type: int64, nullable: false };
    return { kind: 'compare', op: 'eq', left, right, type: bool, nullable: false };
  });
  const any = { kind: 'logical', op: 'or', operands, type: bool, nullable: false };
  const { share } = shareOf(any as BoundExpression, { counts, relations: [relation] });
  return { share, asked };
}

test('of an `or` of very many terms a part is looked at, and the others count as much', () => {
  const { share, asked } = anyOf(20_000, 1 / 100_000);
  expect(asked).toBeGreaterThan(500);
  expect(asked).toBeLessThanOrEqual(1024);
  expect(share).toBeCloseTo(0.2, 10);
});

test('of an `or` of few terms each is looked at', () => {
  const { share, asked } = anyOf(1000, 1 / 4096);
  expect(asked).toBe(1000);
  expect(share).toBe(1000 / 4096);
});
