/** Estimates by what surveys have found. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Table } from '#catalog';
import type { Expression, Node } from '#lir';
import { rootsOf, walkPlans } from '#planner';
import type { Statistics, Surveyed } from '#statistics';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import { lies, surveyedAs } from '../../support/synopses.ts';
import {
  all,
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
  type Term,
  unary,
} from '../support.ts';

const rows = 100_000;
const ids = (table: Table, ...names: readonly string[]) =>
  names.map((name) => table.columns.find((column) => column.name === name)?.id as number);

/** Half of the users are named `ann`, ages are even from 0 to 6,400, scores of three quarters are NULL; tags and ranks of posts go together. */
const found = (table: Table): Surveyed | undefined => {
  if (table.name === 'user') {
    return surveyedAs(table, rows, {
      name: {
        distinct: 1_000,
        distinctInTable: 1_001,
        mostCommon: [{ value: 'ann', frequency: rows / 2, maximumError: 0 }],
      },
      age: {
        distinct: 100,
        distinctInTable: 100,
        bounds: Array.from({ length: 65 }, (_, i) => i * 100),
      },
      score: { nulls: rows * 0.75, distinct: 500, distinctInTable: 500 },
      id: { distinct: rows, distinctInTable: rows },
    });
  }
  if (table.name !== 'post') return undefined;
  const [tag, rank] = ids(table, 'tag', 'rank') as [number, number];
  const fifty = { distinct: 50, distinctInTable: 50 };
  return surveyedAs(table, rows, { tag: fifty, rank: fifty, author: { distinctInTable: 400 } }, [
    { columns: [tag, rank], ...fifty },
  ]);
};

const statistics: Statistics = {
  rowsOf: () => rows,
  rowsWithin: () => rows,
  surveyed: found,
  surveyOf: () => 1,
};

function textOf(nodes: Record<string, Node>, of: Statistics = statistics): string {
  const setting = { catalog, options: full, statistics: of, principal: anyone, pace: neverYield };
  const plan = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
  return explainProgram(plan).statements[0]?.text ?? '';
}

const users = scan('user', 'u');
const posts = scan('post', 'p');
/** What the root is said to give. */
const rootOf = (text: string) => /\[~(\d+ rows, \w+)/.exec(text)?.[1];
const kept = (predicate: Term) => {
  const text = textOf({ u: users, f: filter('u', predicate), o: order('f', 'u.id') });
  return rootOf(text.slice(text.indexOf('filter')));
};

describe('conditions on columns without an index', () => {
  const cases: readonly (readonly [string, Expression, string])[] = [
    ['a common value', op('eq', 'u.name', lit('text', 'ann')), '50000 rows, surveyed'],
    ['any other', op('eq', 'u.name', lit('text', 'bob')), '50 rows, surveyed'],
    ['not a common value', op('ne', 'u.name', lit('text', 'ann')), '50000 rows, surveyed'],
    ['NULL', unary('is_null', 'u.score'), '75000 rows, surveyed'],
    ['no NULL', unary('is_not_null', 'u.score'), '25000 rows, surveyed'],
    [
      'a value of a column with many NULLs',
      op('eq', 'u.score', lit('float64', '1')),
      '50 rows, surveyed',
    ],
    [
      'two columns, the second by its root',
      all(op('eq', 'u.name', lit('text', 'bob')), unary('is_not_null', 'u.score')),
      '25 rows, surveyed',
    ],
    ['nothing that a survey knows', op('gt', 'u.email', 'u.name'), '30000 rows, assumed'],
    ['a value that is NULL', op('eq', 'u.name', lit('text')), '1 rows, counted'],
  ];
  test.each(cases)('%s', (_, predicate, expected) => {
    expect(kept(predicate)).toBe(expected);
  });
});

describe('conditions on a column whose index is not counted', () => {
  const least: Statistics = { ...statistics, rowsOf: () => 1_000, rowsWithin: () => 7 };
  const kept = (predicate: Expression) =>
    textOf({ u: users, f: filter('u', predicate), o: order('f', 'u.id') }, least);

  test('both ends of a range are taken together', () => {
    const between = all(op('gt', 'u.age', 1_600), op('lt', 'u.age', 3_200));
    expect(kept(between)).toContain('index user_age of 250 rows (surveyed)');
    expect(kept(op('gt', 'u.age', 6_300))).toContain('index user_age of 16 rows (surveyed)');
    expect(kept(op('gt', 'u.age', 9_000))).toContain('index user_age of 1 rows (surveyed)');
  });

  test('values', () => {
    expect(kept(op('eq', 'u.age', 1))).toContain('index user_age of 10 rows (surveyed)');
  });
});

describe('columns that go together', () => {
  const both = all(op('eq', 'p.tag', lit('text', 'a')), op('eq', 'p.rank', 3));

  test('have the tuples that a survey has counted', () => {
    const nodes = { p: posts, f: filter('p', both), o: order('f', 'p.author', 'p.seq') };
    const unfound: Statistics = { ...statistics, rowsOf: () => 1_000 };
    expect(textOf(nodes, unfound)).toContain('index post_tag_rank of 20 rows (surveyed)');
  });

  test('make as many groups', () => {
    const groups = ['tag', 'rank'].map((column) => ({
      as: column,
      expr: { kind: 'col', scope: 'p', column } as const,
    }));
    const node: Node = { kind: 'aggregate', input: 'p', scope: 'a', groups };
    expect(rootOf(textOf({ p: posts, a: node, o: order('a', 'a.tag', 'a.rank') }))).toBe(
      '51 rows, surveyed',
    );
  });
});

describe('what several rows make', () => {
  test('groups of few rows are no more than the rows', () => {
    const few = filter('u', op('eq', 'u.name', lit('text', 'bob')));
    const distinct = { kind: 'distinct', input: 'x' } as Node;
    const nodes = (of: string) => ({
      u: users,
      few,
      x: project(of, { age: 'u.age' }, 'x'),
      d: distinct,
      o: order('d', 'x.age'),
    });
    expect(rootOf(textOf(nodes('u')))).toBe('101 rows, surveyed');
    const text = textOf(nodes('few'));
    expect(Number(/~(\d+) rows/.exec(text.slice(text.indexOf('distinct')))?.[1])).toBeWithin(
      35,
      50,
    );
  });

  test('pairs of a join are as many as the values of its keys say', () => {
    const nodes = {
      u: users,
      p: posts,
      j: join('u', 'p', op('eq', 'u.age', 'p.author')),
      x: project('j', { id: 'u.id', seq: 'p.seq' }, 'x'),
      o: order('x', 'x.id', 'x.seq'),
    };
    expect(textOf(nodes)).toMatch(/merge join.*\[~25000000 rows, surveyed/);
  });
});

test('the plan shows what the survey was', () => {
  const nodes = { u: users, o: order('u', 'u.id') };
  const with_ = (surveyed: Partial<Surveyed>, synopsis: Partial<Surveyed['synopsis']>) =>
    textOf(nodes, {
      ...statistics,
      surveyed: (table) => {
        const whole = found(table);
        return whole && { ...whole, ...surveyed, synopsis: { ...whole.synopsis, ...synopsis } };
      },
    });
  expect(with_({ ageMs: 2_400 }, {})).toContain('survey all of 100000 rows, 2 s ago |');
  expect(
    with_({ ageMs: 60_000, changes: 12 }, { coverage: 'sample', observedRows: 500 }),
  ).toContain(
    'survey 500 of 100000 rows, from all over the table, 60 s ago, 12 rows changed since |',
  );
  expect(with_({}, { coverage: 'prefixLimit', observedRows: 500 })).toContain(
    'survey the first 500 of 100000 rows, 0 s ago |',
  );
});

test('a column whose values were replaced since is not known', () => {
  const of = (table: Table) => {
    const whole = found(table);
    const columns = whole?.synopsis.columns.map((column) => ({ ...column, physicalId: 999 }));
    return whole && { ...whole, synopsis: { ...whole.synopsis, columns: columns ?? [] } };
  };
  const nodes = {
    u: users,
    f: filter('u', op('eq', 'u.name', lit('text', 'ann'))),
    o: order('f', 'u.id'),
  };
  expect(textOf(nodes, { ...statistics, surveyed: of })).toContain('[~1000 rows, assumed');
});

test('lies lead to estimates that are numbers, too', () => {
  const nodes = {
    u: users,
    p: posts,
    f: filter(
      'u',
      all(
        op('eq', 'u.name', lit('text', 'ann')),
        op('gt', 'u.age', 5),
        op('lt', 'u.age', 700),
        unary('is_null', 'u.score'),
        op('ne', 'u.id', 3),
      ),
    ),
    g: filter('p', all(op('eq', 'p.tag', lit('text', 'a')), op('eq', 'p.rank', 3))),
    j: join('f', 'g', all(op('eq', 'u.age', 'p.rank'), op('lt', 'u.id', 'p.seq'))),
    x: project('j', { id: 'u.id', seq: 'p.seq', age: 'u.age' }, 'x'),
    d: { kind: 'distinct', input: 'x' } as Node,
    o: order('d', 'x.id', 'x.seq', 'x.age'),
  };
  const estimates = new Set<number>();
  for (let seed = 1; seed <= 300; seed++) {
    const setting = {
      catalog,
      options: full,
      statistics: lies(seed),
      principal: anyone,
      pace: neverYield,
    };
    const [statement] = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting)).statements;
    if (statement?.kind !== 'query') throw new Error('no query');
    walkPlans(rootsOf(statement.query), ({ estimatedRows }) => {
      expect(estimatedRows).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(estimatedRows)).toBe(true);
      estimates.add(estimatedRows);
    });
  }
  expect(estimates.size).toBeGreaterThan(20);
});

test('an order that breaks ties otherwise is read from an index as far as there are ties', () => {
  const nodes = {
    u: users,
    f: filter('u', op('gt', 'u.id', 5)),
    o: order('f', '-u.age'),
    l: { kind: 'slice', input: 'o', limit: 10 } as Node,
  };
  const of = (distinct: number): Statistics => ({
    ...statistics,
    surveyed: (table) => surveyedAs(table, rows, { age: { distinctInTable: distinct } }),
  });
  expect(textOf(nodes, of(90_000))).toContain('access index user_age, all in order');
  expect(textOf(nodes, of(3))).not.toContain('access index user_age');
});
