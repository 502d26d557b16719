/** Joins: hash, lookup, loop; golden plans. */

import { describe, expect, test } from 'bun:test';
import type { Binding, Node } from '#lir';
import {
  all,
  filter,
  join,
  numbers,
  op,
  order,
  plain,
  project,
  query,
  scan,
  textOf,
  unary,
} from '../support.ts';

const users = scan('user', 'u');
const posts = scan('post', 'p');
const byAuthor = op('eq', 'u.id', 'p.author');
const both = (input: string) => project(input, { name: 'u.name', title: 'p.title' });

const byTag = op('eq', 'u.name', 'p.tag');

test('two tables of unknown size meet by hash', () => {
  expect(textOf(query({ l: users, r: posts, j: join('l', 'r', byTag), p: both('j') }))).toBe(
    'project | fields name, title\n' +
      '  hash join | join inner | on name = tag | build right\n' +
      '    scan | table user | access whole table | columns name\n' +
      '    scan | table post | access whole table | columns title, tag',
  );
});

describe('a few rows look their partners up', () => {
  const few = filter('l', op('eq', 'u.age', 7));
  const expected =
    'project | fields name, title\n' +
    '  lookup join | join inner | registers outer 0 = id\n' +
    '    scan | table user | access index user_age: age = 7 | columns id, name\n' +
    '    scan | table post | access primary key: author = outer 0 | columns author, title';
  test('on either side, wherever the filter stands', () => {
    const below = { l: users, f: few, r: posts, j: join('f', 'r', byAuthor), p: both('j') };
    expect(textOf(query(below))).toBe(expected);
    const swapped = { l: users, f: few, r: posts, j: join('r', 'f', byAuthor), p: both('j') };
    expect(textOf(query(swapped))).toBe(expected);
    const above = {
      l: users,
      r: posts,
      j: join('l', 'r', byAuthor),
      f: filter('j', op('eq', 'u.age', 7)),
    };
    expect(textOf(query({ ...above, p: both('f') }))).toBe(expected);
    const crossed = { l: users, r: posts, j: join('l', 'r', true) };
    const where = filter('j', all(op('eq', 'u.age', 7), byAuthor));
    expect(textOf(query({ ...crossed, f: where, p: both('f') }))).toBe(expected);
  });

  test('a left join only from left to right', () => {
    const nodes = { l: users, f: few, r: posts, j: join('f', 'r', byAuthor, 'left'), p: both('j') };
    expect(textOf(query(nodes))).toBe(expected.replace('inner', 'left'));
    const other = { l: users, f: few, r: posts, j: join('r', 'f', byAuthor, 'left'), p: both('j') };
    expect(textOf(query(other))).toContain('merge join | join left');
  });

  test('not when only scans are allowed', () => {
    const nodes = { l: users, f: few, r: posts, j: join('f', 'r', byAuthor), p: both('j') };
    expect(textOf(query(nodes), plain)).toContain('merge join');
  });
});

test('the first rows of an order that one side delivers', () => {
  const l: Node = { kind: 'slice', input: 'o', limit: 5 };
  const o = order('j', 'p.tag', 'p.rank');
  const nodes = { r: posts, l: users, j: join('r', 'l', byAuthor), o };
  expect(textOf(query({ ...nodes, x: { ...l }, p: both('x') }, 'many'))).toBe(
    'project | fields name, title\n  slice | limit 5\n' +
      '    lookup join | join inner | registers outer 0 = author\n' +
      '      scan | table post | access index post_tag_rank, all in order | columns author, title, tag, rank\n' +
      '      scan | table user | access primary key: id = outer 0 | columns id, name',
  );
});

test('without an equality pairs are tested one by one', () => {
  const j = join('l', 'r', op('lt', 'u.id', 'p.author'));
  expect(textOf(query({ l: users, r: posts, j, p: both('j') }))).toContain(
    'loop join | join inner | on id < author',
  );
});

test('the right side of a left join takes its part of the condition, the left side does not', () => {
  const on = all(byAuthor, op('eq', 'p.seq', 1), op('eq', 'u.age', 2));
  const text = textOf(query({ l: users, r: posts, j: join('l', 'r', on, 'left'), p: both('j') }));
  expect(text).toContain('residual age = 2');
  expect(text).toContain('filter | predicate seq = 1');
  expect(text).not.toContain('index user_age');
});

test('a filter on the right side that padded rows pass stays above a left join', () => {
  const j = join('l', 'r', byTag, 'left');
  const f = filter('j', unary('is_null', 'p.seq'));
  expect(textOf(query({ l: users, r: posts, j, f, p: both('f') }))).toStartWith(
    'project | fields name, title\n  filter | predicate seq is null\n    hash join | join left',
  );
});

test('a step keeps what does not change between iterations', () => {
  const b: Binding = { kind: 'recursive', anchor: 'a', step: 's', accumulation: 'new' };
  const nodes: Record<string, Node> = {
    a: numbers('a', 1),
    f: { kind: 'recursive_ref', binding: 'b', scope: 'f' },
    n: scan('note', 'n'),
    j: join('n', 'f', op('eq', 'f.n', 'n.owner')),
    s: project('j', { n: 'n.id' }),
    m: { kind: 'ref', binding: 'b', scope: 'm' },
  };
  expect(textOf(query(nodes, 'exactly_one', { b }))).toBe(
    'binding b, anchor:\n  rows\nbinding b, step, accumulating new:\n' +
      '  project | fields id\n    lookup join | join inner | registers outer 0 = n\n' +
      '      frontier | of binding b\n      spool | keys owner | probe outer 0\n' +
      '        scan | table note | access whole table | columns id, owner\n' +
      'materialized | of binding b',
  );
});

test('a condition on one column alone is no key to look partners up by', () => {
  const nodes: Record<string, Node> = {
    u: users,
    f: filter('u', op('eq', 'u.id', 7)),
    p: posts,
    g: filter('p', unary('is_null', 'p.tag')),
    j: join('f', 'g', op('eq', 'p.seq', 'u.age')),
  };
  expect(textOf(query({ ...nodes, x: both('j') }))).toContain('hash join');
});
