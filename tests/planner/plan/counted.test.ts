/** Plans for tables whose rows are counted. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Table } from '#catalog';
import type { Expression, Node } from '#lir';
import type { Statistics } from '#statistics';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import { surveyedAs } from '../../support/synopses.ts';
import {
  catalog,
  filter,
  full,
  join,
  lit,
  op,
  order,
  project,
  query,
  scan,
  shortened,
} from '../support.ts';

/** Tables by name; a part of a key holds `within` of them. */
function counting(rows: Readonly<Record<string, number>>, within: number): Statistics {
  return {
    rowsOf: ({ name }: Table) => rows[name] ?? 0,
    rowsWithin: () => within,
    surveyed: () => undefined,
    surveyOf: () => 0,
  };
}

function planned(nodes: Record<string, Node>, statistics: Statistics | undefined) {
  const setting = { catalog, options: full, statistics, principal: anyone, pace: neverYield };
  return runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
}

const explained = (...of: Parameters<typeof planned>) =>
  explainProgram(planned(...of)).statements[0]?.text ?? '';
const textOf = (...of: Parameters<typeof planned>) => shortened(explained(...of));

const users = scan('user', 'u');
const posts = scan('post', 'p');

test('a small table is planned as one of a thousand rows', () => {
  const nodes = { s: users, o: order('s', 'u.id') };
  for (const rows of [0, 7, 1_000]) {
    const plan = planned(nodes, counting({ user: rows }, 0));
    expect(plan.tableEstimates.map(({ table, rows }) => [table.name, rows])).toEqual([
      ['user', 1_000],
    ]);
  }
  expect(explained(nodes, counting({ user: 70_000 }, 0))).toContain(
    'why table of 70000 rows (counted) costs 130000 | [~70000 rows, counted; ordered by id]',
  );
  expect(planned(nodes, undefined).tableEstimates).toEqual([]);
});

test('what a small table is taken for is not called counted', () => {
  const nodes = { s: users, o: order('s', 'u.id') };
  expect(explained(nodes, counting({ user: 999 }, 0))).toContain('table of 1000 rows (assumed)');
  expect(explained(nodes, counting({ user: 1_000 }, 0))).toContain('table of 1000 rows (counted)');
});

test('an index that is read for its order is known no better than its table', () => {
  const nodes = { s: users, o: order('s', 'u.age') };
  for (const rows of [0, 999]) {
    const text = explained(nodes, counting({ user: rows }, 0));
    expect(text).toContain('index user_age of 1000 rows (assumed)');
  }
  const text = explained(nodes, counting({ user: 70_000 }, 70_000));
  expect(text).toContain('index user_age of 70000 rows (counted)');
});

test('a whole primary key asks for no counts', () => {
  const nodes = { s: users, f: filter('s', op('eq', 'u.id', 1)), o: order('f', 'u.id') };
  const plan = planned(nodes, counting({ user: 70_000 }, 0));
  expect(plan.tableEstimates).toEqual([]);
  expect(explainProgram(plan).statements[0]?.text).toContain('why primary key of 1 rows (proven)');
});

describe('the part of an index that a literal names is counted', () => {
  const nodes = { s: users, f: filter('s', op('gt', 'u.age', 30)), o: order('f', 'u.id') };

  test('a small one is read by the index', () => {
    const text = explained(nodes, counting({ user: 70_000 }, 40));
    expect(text).toContain('access index user_age: age > 30');
    expect(text).toContain('index user_age of 40 rows (counted)');
  });

  test('a large one is not', () => {
    expect(textOf(nodes, counting({ user: 70_000 }, 60_000))).toContain('access whole table');
  });

  test('what is not known before the plan runs is assumed', () => {
    const by = op('eq', 'u.age', 'p.rank');
    const few = filter('t', op('eq', 'p.author', 1));
    const all = { s: users, t: posts, few, j: join('few', 's', by) };
    const o = order('p', 'x.id');
    const relation = { ...all, p: project('j', { seq: 'p.seq', id: 'u.id' }, 'x'), o };
    const text = explained(relation, counting({ user: 70_000, post: 5_000 }, 3));
    expect(text).toContain('index user_age of 10 rows (assumed)');
    expect(text).toContain('primary key of 3 rows (counted)');
  });
});

describe('joins', () => {
  const nodes = {
    s: users,
    t: posts,
    j: join('s', 't', op('eq', 'u.name', 'p.title')),
    p: project('j', { seq: 'p.seq', id: 'u.id' }, 'x'),
    o: order('p', 'x.id'),
  };

  test('hold the smaller side', () => {
    expect(textOf(nodes, counting({ user: 70_000, post: 5_000 }, 0))).toContain('build right');
    expect(textOf(nodes, counting({ user: 5_000, post: 70_000 }, 0))).toContain('build left');
  });

  test('look few rows up in a large table', () => {
    const by = { ...nodes, j: join('s', 't', op('eq', 'u.id', 'p.author')) };
    const few = filter('s', op('eq', 'u.age', lit('int64', '30')));
    const some = { ...by, few, j: join('few', 't', op('eq', 'u.id', 'p.author')) };
    const ordered = ({ s, t, few, j, p, o }: typeof some) => ({ s, t, few, j, p, o });
    expect(textOf(ordered(some), counting({ user: 70_000, post: 900_000 }, 12))).toContain(
      'lookup join',
    );
    expect(textOf(by, counting({ user: 70_000, post: 900_000 }, 12))).toContain('merge join');
  });
});

test('rows of a value that nobody names are those that a survey has found', () => {
  const nodes = {
    p: posts,
    few: filter('p', op('eq', 'p.author', 1)),
    u: users,
    j: join('few', 'u', op('eq', 'u.age', 'p.rank')),
    x: project('j', { seq: 'p.seq', id: 'u.id' }, 'x'),
    o: order('x', 'x.id'),
  };
  const surveyed = (rows: number): Statistics => ({
    ...counting({ user: 70_000, post: 5_000 }, 3),
    surveyed: (table) =>
      table.name === 'user'
        ? surveyedAs(table, 70_000, { age: { distinctInTable: 70_000 / rows } })
        : undefined,
    surveyOf: () => 4,
  });
  expect(explained(nodes, surveyed(25))).toContain('index user_age of 25 rows (surveyed)');
  expect(textOf(nodes, surveyed(25))).toContain('lookup join');
  expect(textOf(nodes, surveyed(60_000))).toContain('hash join');
  expect(planned(nodes, surveyed(25)).tableEstimates.map(({ survey }) => survey)).toEqual([4, 4]);
});

test('of a list of 4,000 keys a part is counted, and the others are taken to have as many rows', () => {
  let asked = 0;
  const statistics: Statistics = {
    ...counting({ post: 4_000_000 }, 2),
    rowsWithin: () => {
      asked++;
      return 2;
    },
  };
  const tests = Array.from({ length: 4_000 }, (_, i) => op('eq', 'p.author', i));
  const nodes = { p: posts, f: filter('p', balanced(tests)), o: order('f', 'p.author', 'p.seq') };
  expect(explained(nodes, statistics)).toContain('primary key of 8000 rows (counted)');
  expect(asked).toBeLessThan(600);
});

function balanced(tests: readonly Expression[]): Expression {
  const [only] = tests as [Expression];
  if (tests.length === 1) return only;
  const half = tests.length / 2;
  return op('or', balanced(tests.slice(0, half)), balanced(tests.slice(half)));
}
