/** Small rules of the planner that a result rarely shows: each by the plan that would be wrong without it. */

import { expect, test } from 'bun:test';
import { declareCatalog } from '#catalog';
import type { Node } from '#lir';
import { explainProgram, planProgram } from '../../support/plans.ts';
import {
  all,
  crossing,
  filter,
  full,
  join,
  op,
  order,
  planOf,
  project,
  query,
  scan,
  type Term,
  textOf,
  unary,
} from '../support.ts';

const linesOf = (text: string) => text.split('\n').map((line) => line.trim().split(' | ')[0]);

test.each([
  ['many', undefined],
  ['first', 1],
  ['exactly_one', 2],
] as const)(
  'a query for %s takes the first rows, as many as show whether it holds',
  (cardinality, limit) => {
    const [statement] = planOf(
      query({ u: scan('user', 'u'), o: order('u', 'u.id') }, cardinality),
    ).statements;
    const root = statement?.kind === 'query' ? statement.query.root : undefined;
    expect(root).toMatchObject(
      limit === undefined ? { kind: 'scan' } : { kind: 'slice', offset: 0, limit },
    );
  },
);

test('a predicate over a field with a crossing stays above the projection', () => {
  const nodes: Record<string, Node> = {
    n: scan('note', 'n'),
    g: filter('n', op('eq', 'n.owner', 'u.id')),
    u: scan('user', 'u'),
    p: project('u', { id: 'u.id', writes: crossing('exists', 'g') }, 'p'),
    f: filter('p', op('eq', 'p.writes', true)),
  };
  const lines = linesOf(textOf(query(nodes)));
  expect(lines.indexOf('filter')).toBeLessThan(
    lines.findIndex((line) => line?.startsWith('attach')),
  );
  expect(lines.findIndex((line) => line?.startsWith('attach'))).toBeGreaterThan(0);
});

test('beside such a field other predicates go down', () => {
  const nodes: Record<string, Node> = {
    n: scan('note', 'n'),
    g: filter('n', op('eq', 'n.owner', 'u.id')),
    u: scan('user', 'u'),
    p: project('u', { id: 'u.id', writes: crossing('exists', 'g') }, 'p'),
    f: filter('p', op('eq', 'p.id', 7)),
  };
  expect(textOf(query(nodes))).toContain('primary key: id = 7');
});

/** The first rows of `inner` by age, ordered again by age and name. */
function twice(inner: Record<string, Node>, input: string, scope: string) {
  return textOf(
    query(
      {
        ...inner,
        first: order(input, `${scope}.age`),
        some: { kind: 'slice', input: 'first', limit: 10 },
        again: order('some', `${scope}.age`, `${scope}.name`),
      },
      'many',
    ),
  );
}

const sorts = (text: string) => linesOf(text).filter((line) => line === 'sort').length;

test('an order of rows without a key leaves ties, which a longer order has to sort', () => {
  const both: Record<string, Node> = {
    a: scan('user', 'a'),
    b: scan('user', 'b'),
    c: { kind: 'concatenate', inputs: ['a', 'b'], scope: 'c' },
  };
  expect(sorts(twice(both, 'c', 'c'))).toBe(2);
});

test('an order that ends in a key leaves none', () => {
  const inner: Record<string, Node> = { a: scan('user', 'a') };
  const text = textOf(
    query(
      {
        ...inner,
        first: order('a', 'a.name'),
        some: { kind: 'slice', input: 'first', limit: 10 },
        again: order('some', 'a.name', 'a.id', 'a.age'),
      },
      'many',
    ),
  );
  expect(sorts(text)).toBe(1);
});

test('a unique index leaves no ties among rows that a bound keeps from being NULL', () => {
  const catalog = declareCatalog([
    {
      id: 1,
      name: 't',
      columns: [
        { id: 1, name: 'id', type: 'int64' },
        { id: 2, name: 'code', type: 'int64', nullable: true },
        { id: 3, name: 'name', type: 'text' },
      ],
      primary_key: ['id'],
      indexes: [{ name: 'by_code', columns: ['code'], unique: true }],
    },
  ]);
  const sortsOf = (input: Record<string, Node>) => {
    const o = order(Object.keys(input).at(-1) as string, 't.code', 't.name');
    const nodes: Record<string, Node> = { ...input, o, l: { kind: 'slice', input: 'o', limit: 9 } };
    const relation = query(nodes, 'many');
    const program = { statements: [{ kind: 'query', name: 'q', relation } as const] };
    const plan = explainProgram(planProgram(program, 'q', catalog, full));
    return sorts(plan.statements[0]?.text ?? '');
  };
  const t = scan('t', 't');
  expect(sortsOf({ t })).toBe(1);
  for (const predicate of [op('gt', 't.code', 5), op('lt', 't.code', 5)]) {
    expect(sortsOf({ t, f: filter('t', predicate) })).toBe(0);
  }
});

test('a field can be NULL when an operand of its expression can', () => {
  const canBeNull = (value: Term) => {
    const plan = planOf(query({ u: scan('user', 'u'), p: project('u', { v: value }) }));
    const [statement] = plan.statements;
    return statement?.kind === 'query' ? statement.query.output[0]?.nullable : undefined;
  };
  const [certain, maybe] = [op('eq', 'u.name', 'u.email'), op('eq', 'u.age', 1)];
  expect(canBeNull(certain)).toBe(false);
  expect(canBeNull(all('u.active', certain))).toBe(false);
  expect(canBeNull(all('u.active', maybe))).toBe(true);
  expect(canBeNull(unary('not', maybe))).toBe(true);
  expect(canBeNull(unary('is_null', maybe))).toBe(false);
});

test('an index gives the order of its one column, when nothing is left that breaks ties', () => {
  const nodes: Record<string, Node> = {
    u: scan('user', 'u'),
    p: project('u', { v: 'u.email' }, 'p'),
    o: order('p', 'p.v'),
    l: { kind: 'slice', input: 'o', limit: 10 },
  };
  const text = textOf(query(nodes, 'many'));
  expect(text).toContain('index user_email, all in order');
  expect(sorts(text)).toBe(0);
});

test('rows are put in order for an answer of many or of the first, not of the only one', () => {
  const nodes: Record<string, Node> = { u: scan('user', 'u'), o: order('u', 'u.name') };
  expect(sorts(textOf(query(nodes, 'many')))).toBe(1);
  expect(sorts(textOf(query(nodes, 'first')))).toBe(1);
  expect(sorts(textOf(query(nodes, 'exactly_one')))).toBe(0);
});

test('crossings over few rows cost less than over all', () => {
  const nodes: Record<string, Node> = {
    n: scan('note', 'n'),
    g: filter('n', op('eq', 'n.body', 'u.name')),
    u: scan('user', 'u'),
    p: project('u', { id: 'u.id', writes: crossing('exists', 'g') }, 'p'),
    s: scan('post', 's'),
    l: filter('s', op('eq', 's.author', 7)),
    j: join('l', 'p', op('eq', 's.rank', 'p.id')),
    o: order('j', 's.author', 's.seq'),
  };
  expect(textOf(query(nodes, 'many'))).toContain('lookup join');
});
