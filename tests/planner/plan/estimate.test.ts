/** How many rows the planner expects: every choice between plans rests on it. */

import { expect, test } from 'bun:test';
import type { Node } from '#lir';
import { explainProgram, planProgram } from '../../support/plans.ts';
import { all, catalog, filter, full, op, order, query, scan, type Term } from '../support.ts';

function rowsOf(nodes: Record<string, Node>): number {
  const relation = query(nodes, 'many');
  const plan = planProgram(
    { statements: [{ kind: 'query', name: 'q', relation }] },
    'q',
    catalog,
    full,
  );
  const [statement] = explainProgram(plan).statements;
  return Number(/~(\d+) rows/.exec(statement?.text ?? '')?.[1]);
}

const users = scan('user', 'u');
const sorted = (input: string) => order(input, 'u.id');
const kept = (predicate: Term) => rowsOf({ u: users, f: filter('u', predicate), o: sorted('f') });
const either = (left: Term, right: Term) => op('or', left, right);

test('of what all conditions keep the strictest counts whole, the next by its root; alternatives add up', () => {
  const range = op('lt', 'u.id', 'u.age');
  const other = op('gt', 'u.name', 'u.email');
  expect(kept(range)).toBe(300);
  expect(kept(either(all(range, other), op('eq', 'u.age', 'u.id')))).toBe(175);
  expect(kept(either(range, other))).toBe(600);
});

test('rows that an offset skips do not come', () => {
  const slice: Node = { kind: 'slice', input: 'o', offset: 990, limit: 50 };
  expect(rowsOf({ u: users, o: sorted('u'), s: slice })).toBe(10);
  expect(rowsOf({ u: users, o: sorted('u'), s: { ...slice, offset: 10 } })).toBe(50);
  expect(rowsOf({ u: users, o: sorted('u'), s: { ...slice, offset: 2_000 } })).toBe(0);
});

test('one bound of a key keeps fewer rows than none, two fewer than one', () => {
  const both = all(op('gt', 'u.id', 1), op('lt', 'u.id', 9));
  expect(rowsOf({ u: users, o: sorted('u') })).toBe(1_000);
  expect(kept(op('gt', 'u.id', 1))).toBe(20);
  expect(kept(op('lt', 'u.id', 9))).toBe(20);
  expect(kept(both)).toBe(10);
});
