/** Access paths: keys, ranges, directions, saved sorts; golden plans. */

import { describe, expect, test } from 'bun:test';
import { applyChange } from '#catalog';
import type { Node } from '#lir';
import { planQuery } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import {
  all,
  catalog,
  filter,
  full,
  lit,
  op,
  order,
  plain,
  planOf,
  project,
  query,
  scan,
  type Term,
  textOf,
  unary,
} from '../support.ts';

const users = scan('user', 'u');
const posts = scan('post', 'p');
const t = lit('text', 't');
const limited = (input: string, limit: number): Node => ({ kind: 'slice', input, limit });

/** How `post`, filtered and projected to its titles, is read. */
function access(...conjuncts: readonly Term[]): string {
  const nodes = { s: posts, f: filter('s', all(...conjuncts)), p: project('f', { t: 'p.title' }) };
  return textOf(query(nodes));
}

describe('intervals', () => {
  test('a whole primary key, a prefix of it, a range behind the prefix', () => {
    expect(access(op('eq', 'p.author', 1), op('eq', 2, 'p.seq'))).toBe(
      'scan | table post | access primary key: author = 1, seq = 2 | columns title',
    );
    expect(access(op('eq', 'p.author', 1))).toBe(
      'scan | table post | access primary key: author = 1 | columns title',
    );
    expect(access(op('eq', 'p.author', 1), op('gt', 'p.seq', 2), op('gte', 9, 'p.seq'))).toBe(
      'scan | table post | access primary key: author = 1, seq > 2, seq <= 9 | columns title',
    );
  });

  test('an index, with what it cannot answer as a filter', () => {
    const index = 'scan | table post | access index post_tag_rank: tag = "t"';
    expect(access(op('eq', 'p.tag', t), op('lt', 'p.rank', 3))).toBe(
      `${index}, rank < 3 | columns title`,
    );
    expect(access(op('eq', 'p.tag', t), unary('is_null', 'p.rank'))).toBe(
      `${index}, rank is null | columns title`,
    );
    expect(access(op('eq', 'p.tag', t), op('ne', 'p.rank', 3))).toBe(
      `project | fields title\n  filter | predicate rank <> 3\n    ${index} | columns title, rank`,
    );
  });

  test('of a key and an index with as many rows the key, whose rows lie together', () => {
    expect(access(op('eq', 'p.tag', t), op('eq', 'p.author', 1))).toContain(
      'access primary key: author = 1 ',
    );
  });

  test('a second bound of one kind stays a filter', () => {
    expect(access(op('eq', 'p.author', 1), op('gt', 'p.seq', 2), op('gt', 'p.seq', 5))).toContain(
      'filter | predicate seq > 5',
    );
  });

  test('neither gaps, nor alternatives of other kinds, nor other columns reach a key', () => {
    const whole = 'access whole table';
    expect(access(op('eq', 'p.seq', 2))).toContain(whole);
    const either = op('or', op('eq', 'p.author', 1), op('eq', 'p.seq', 2));
    expect(access(either)).toContain(whole);
    const ranges = op('or', op('eq', 'p.author', 1), op('gt', 'p.author', 2));
    expect(access(ranges)).toContain(whole);
    expect(access(op('eq', 'p.author', 'p.seq'))).toContain(whole);
    expect(access(op('eq', 'p.rank', 2))).toContain(whole);
  });

  test('one of several values, behind a prefix or as the whole key', () => {
    const either = (column: string) =>
      op('or', op('or', op('eq', column, 4), op('eq', 2, column)), op('eq', column, 3));
    expect(access(either('p.author'))).toBe(
      'scan | table post | access primary key: author one of 4; 2; 3 | columns title',
    );
    expect(access(op('eq', 'p.author', 1), either('p.seq'), op('gt', 'p.seq', 2))).toBe(
      'project | fields title\n  filter | predicate seq > 2\n' +
        '    scan | table post | access primary key: author = 1, seq one of 4; 2; 3 | columns seq, title',
    );
    const nodes = { s: posts, f: filter('s', either('p.author')) };
    expect(textOf(query(nodes), { ...full, without: ['key_lists'] })).toContain('whole table');
  });

  test('an index alone, where it holds all that is read', () => {
    const nodes = {
      s: users,
      f: filter('s', op('eq', 'u.age', 3)),
      p: project('f', { i: 'u.id' }),
    };
    const path = 'scan | table user | access index user_age: age = 3';
    expect(textOf(query(nodes))).toBe(`${path} | rows from the index alone | columns id`);
    expect(textOf(query(nodes), { ...full, without: ['index_only'] })).toBe(`${path} | columns id`);
    const more = { ...nodes, p: project('f', { i: 'u.id', n: 'u.name' }) };
    expect(textOf(query(more))).toBe(`${path} | columns id, name`);
  });

  test('an index never alone for a float64, whose key forgets the sign of zero', () => {
    const index = { name: 'user_score', columns: ['score'], unique: false };
    const statement = { kind: 'create_index', table_id: 1, index } as const;
    const { catalog: withScore } = applyChange(catalog, statement);
    const nodes = { s: users, f: filter('s', op('eq', 'u.score', lit('float64', '0'))) };
    const read = (column: string) => {
      const shown = { ...nodes, p: project('f', { c: `u.${column}` }) };
      return explainProgram(planQuery(query(shown), withScore, full)).statements[0]?.text;
    };
    expect(read('id')).toContain('from the index alone');
    expect(read('score')).toContain('access index user_score: score = 0');
    expect(read('score')).not.toContain('from the index alone');
  });

  test('without access paths everything is a scan', () => {
    const nodes = { s: posts, f: filter('s', op('eq', 'p.author', 1)) };
    expect(textOf(query(nodes), plain)).toBe(
      'filter | predicate author = 1\n  scan | table post | access whole table | columns author, seq, title, tag, rank',
    );
  });

  test('a filter on a projection, an aggregate or a union reaches the table', () => {
    const p = project('s', { a: 'p.author', t: 'p.title' }, 'q');
    expect(textOf(query({ s: posts, p, f: filter('p', op('eq', 'q.a', 1)) }))).toBe(
      'scan | table post | access primary key: author = 1 | columns author, title',
    );
    const count: Node = {
      kind: 'aggregate',
      input: 's',
      scope: 'g',
      groups: [{ expr: { kind: 'col', scope: 'p', column: 'author' } }],
      aggs: [{ fn: 'count', as: 'n' }],
    };
    expect(textOf(query({ s: posts, g: count, f: filter('g', op('eq', 'g.author', 1)) }))).toBe(
      'aggregate | groups author | folds count()\n' +
        '  scan | table post | access primary key: author = 1 | columns author',
    );
    const left = project('s', { a: 'p.author' });
    const right = project('x', { a: 'u.id' });
    const u: Node = { kind: 'concatenate', inputs: ['l', 'r'], scope: 'c' };
    const nodes = { s: posts, l: left, x: users, r: right, u, f: filter('u', op('eq', 'c.a', 1)) };
    expect(textOf(query(nodes))).toBe(
      'concatenate\n' +
        '  scan | table post | access primary key: author = 1 | columns author\n' +
        '  scan | table user | access primary key: id = 1 | columns id',
    );
  });
});

describe('order', () => {
  const top = (...terms: readonly string[]) => {
    const nodes = { s: users, o: order('s', ...terms), l: limited('o', 10), p: idOf('l') };
    return textOf(query(nodes, 'many'));
  };
  const idOf = (input: string) => project(input, { id: 'u.id' });
  const slice = 'slice | limit 10\n  ';
  test('the primary key, in both directions', () => {
    expect(top('u.id')).toBe(`${slice}scan | table user | access whole table | columns id`);
    expect(top('-u.id')).toBe(
      `${slice}scan | table user | access whole table | direction backward | columns id`,
    );
  });

  test('an index, where the tie-breaker agrees with it', () => {
    const byAge =
      'scan | table user | access index user_age, all in order | rows from the index alone';
    expect(top('u.age')).toContain(`${byAge} | columns id, age`);
    expect(top('-u.age', '-u.id')).toContain(`${byAge} | direction backward | columns id, age`);
  });

  test('a unique index needs no tie-breaker', () => {
    expect(top('-u.email')).toContain(
      'access index user_email, all in order | rows from the index alone | direction backward',
    );
  });

  test('an equality makes its column no part of the order', () => {
    const nodes = { s: posts, f: filter('s', op('eq', 'p.tag', t)), o: order('f', 'p.rank') };
    expect(textOf(query(nodes, 'many'))).toBe(
      'scan | table post | access index post_tag_rank: tag = "t" | columns author, seq, title, tag, rank',
    );
  });

  test('at most one row needs no sort', () => {
    const nodes = { s: users, f: filter('s', op('eq', 'u.id', 1)), o: order('f', 'u.name') };
    expect(textOf(query(nodes, 'many'))).not.toContain('sort');
  });

  test('an order that nobody sees is not made, unless it can raise', () => {
    const count: Node = { kind: 'aggregate', input: 'o', aggs: [{ fn: 'count', as: 'n' }] };
    expect(textOf(query({ s: users, o: order('s', 'u.name'), c: count }))).not.toContain('sort');
    const raising = order('s', op('div', 1, 'u.age'));
    expect(textOf(query({ s: users, o: raising, c: count }))).toContain('sort');
  });

  test('an index in the order of the first keys alone, where the sort may stop early', () => {
    const nodes = { s: users, o: order('s', '-u.age'), l: limited('o', 10), p: idOf('l') };
    expect(textOf(query(nodes, 'many'), { ...full, topSorts: 'whole' })).toContain(
      'sort | terms age desc, id | top 10\n      scan | table user | access whole table',
    );
    expect(textOf(query(nodes, 'many'))).toBe(
      'project | fields id\n  slice | limit 10\n    sort | terms age desc, id | top 10 | presorted 1\n' +
        '      scan | table user | access index user_age, all in order | rows from the index alone | direction backward | columns id, age',
    );
  });
});

test('a limit of 0 plans nothing below it', () => {
  const nodes = { s: users, l: limited('s', 0) };
  expect(textOf(query(nodes))).toBe('rows');
  expect(planOf(query(nodes)).parameters).toEqual([[]]);
});

test('the plan says why, how many rows, and what it knows of them', () => {
  const nodes = { s: users, f: filter('s', op('eq', 'u.id', 1)) };
  const [statement] = explainProgram(planOf(query(nodes))).statements;
  expect(statement?.text).toContain('why primary key ');
  expect(statement?.text).toEndWith('[~1 rows, proven; at most 1; ordered by id]');
  expect(statement?.view.root).toMatchObject({
    operator: 'scan',
    node: 's',
    estimated_rows: 1,
    order: ['id'],
    details: { table: 'user', access: 'primary key: id = 1' },
    inputs: [],
  });
});

test('the same query gives the same plan', () => {
  const nodes = { s: users, o: order('s', '-u.age'), l: limited('o', 3) };
  expect(planOf(query(nodes, 'many'))).toEqual(planOf(query(nodes, 'many')));
});
