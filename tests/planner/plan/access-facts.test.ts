/** What a plan proves of its reads: scans of one row, the most reads by key, the rows that a query looks for. */

import { expect, test } from 'bun:test';
import { declareCatalog } from '#catalog';
import type { Expression, Node, Query } from '#lir';
import { keyedReads, type ProgramPlan, rootsOf, walkPlans } from '#planner';
import { planProgram } from '../../support/plans.ts';
import {
  all,
  filter,
  full,
  join,
  numbers,
  op,
  order,
  planAll,
  planOf,
  project,
  query,
  scan,
} from '../support.ts';

const userBy = (column: string, value: number, scope = 'u') => ({
  [scope]: scan('user', scope),
  [`${scope}1`]: filter(scope, op('eq', `${scope}.${column}`, value)),
});
const userByEmail: Record<string, Node> = {
  u: scan('user', 'u'),
  u1: filter(
    'u',
    op('eq', 'u.email', { kind: 'lit', value: { type: 'text', value: 'a@example.org' } }),
  ),
};

const reading = (relation: Query) =>
  planAll([{ kind: 'query', name: 'q', relation: { ...relation } }], 'q');

function pointsOf({ statements }: ProgramPlan) {
  const points: unknown[] = [];
  for (const statement of statements) {
    if (statement.kind === 'catalog') continue;
    walkPlans(rootsOf(statement.query), (plan) => {
      if (plan.kind === 'scan') points.push(plan.point);
    });
  }
  return points;
}

test('a whole primary key or unique index pins one row, by the parameters in the order of the key', () => {
  expect(pointsOf(reading(query(userBy('id', 7))))).toEqual([{ parameters: [0] }]);
  expect(pointsOf(reading(query(userByEmail)))).toEqual([{ parameters: [0] }]);
  const both = (...terms: Expression[]) =>
    reading(query({ p: scan('post', 'p'), f: filter('p', all(...terms)) }));
  const seq = op('eq', 'p.seq', 5);
  const author = op('eq', 'p.author', 3);
  const { parameters, statements } = both(seq, author);
  const [point] = pointsOf({ statements } as ProgramPlan) as [{ parameters: number[] }];
  expect(point.parameters.map((at) => parameters[at])).toEqual([3, 5]);
  expect(pointsOf(both(author, op('gte', 'p.seq', 5)))).toEqual([undefined]);
  expect(pointsOf(reading(query(userBy('age', 7))))).toEqual([undefined]);
});

test('a key that an enclosing row has is no parameter', () => {
  const nodes = { ...userBy('id', 1, 'a'), ...{ b: scan('user', 'b') } };
  const plan = reading(
    query({
      ...nodes,
      j: join('a1', 'b', op('eq', 'a.age', 'b.id')),
      o: project('j', { id: 'b.id' }),
    }),
  );
  expect(pointsOf(plan)).toEqual([{ parameters: [0] }, { parameters: undefined }]);
  expect(keyedReads(plan)).toBe(2);
  expect(plan.pointLookups).toBeUndefined();
});

test('a read through an index is two reads, a scan is bounded by nothing', () => {
  expect(keyedReads(reading(query(userBy('id', 7))))).toBe(1);
  expect(keyedReads(reading(query(userByEmail)))).toBe(2);
  expect(keyedReads(reading(query({ u: scan('user', 'u') })))).toBe(Infinity);
});

test('the bound follows the rows that come with a program, and the parameters of the day', () => {
  const pairs = numbers('n', 1, 2, 3);
  const joined = query({
    n: pairs,
    u: scan('user', 'u'),
    j: join('n', 'u', op('eq', 'n.n', 'u.id')),
  });
  const plan = reading(joined);
  expect(keyedReads(plan)).toBe(3);
  const rows = Array.from({ length: 50 }, (_, i) => [i]);
  const parameters = plan.parameters.map((value) => (Array.isArray(value) ? rows : value));
  expect(keyedReads({ ...plan, parameters })).toBe(50);
});

test('a mutation reads for each row: the row, what is unique, what must exist; what leads to a deleted row is not bounded', () => {
  const parent = { id: 1, name: 'p', columns: [{ id: 1, name: 'id', type: 'int64' as const }] };
  const child = {
    id: 2,
    name: 'c',
    columns: [
      { id: 1, name: 'id', type: 'int64' as const },
      { id: 2, name: 'p', type: 'int64' as const },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'u', columns: ['p'], unique: true }],
    foreign_keys: [{ name: 'k', columns: ['p'], ref_table: 'p', ref_columns: ['id'] }],
  };
  const catalog = declareCatalog([{ ...parent, primary_key: ['id'] }, child]);
  const deletion = (table: string) => {
    const nodes = { s: scan(table, 's'), f: filter('s', op('eq', 's.id', 4)) };
    const relation = query({ ...nodes, o: project('f', { id: 's.id' }) });
    const statements = [{ kind: 'delete' as const, name: 'd', table, relation }];
    return keyedReads(planProgram({ statements }, undefined, catalog, full));
  };
  expect(deletion('c')).toBe(1 + 3);
  expect(deletion('p')).toBe(Infinity);
});

test('a query that reads by primary keys alone names the rows that it looks for', () => {
  const { pointLookups, parameters } = planOf(query(userBy('id', 7)));
  expect(
    pointLookups?.map(({ table, key }) => [table.name, key.map((at) => parameters[at])]),
  ).toEqual([['user', [7]]]);
  expect(planOf(query(userByEmail)).pointLookups).toBeUndefined();
  expect(
    planOf(query({ u: scan('user', 'u'), o: order('u', 'u.id') })).pointLookups,
  ).toBeUndefined();
});
