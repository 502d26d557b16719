/** Left joins whose padded rows nobody sees. */

import { describe, expect, test } from 'bun:test';
import {
  all,
  crossing,
  filter,
  full,
  join,
  lit,
  op,
  project,
  query,
  scan,
  type Term,
  textOf,
  unary,
} from '../support.ts';

const t = lit('text', 't');

function joinAbove(predicate: Term, options = full): string {
  const nodes = {
    u: scan('user', 'u'),
    p: scan('post', 'p'),
    j: join('u', 'p', op('eq', 'u.name', 'p.title'), 'left'),
    f: filter('j', predicate),
    x: project('f', { n: 'u.name', t: 'p.tag' }),
  };
  return /join \| join (\w+)/.exec(textOf(query(nodes), options))?.[1] ?? 'none';
}

describe('becomes inner', () => {
  test.each([
    ['a comparison', op('eq', 'p.tag', t)],
    ['with a column of the left side', op('lt', 'u.age', 'p.rank')],
    ['IS NOT NULL', unary('is_not_null', 'p.rank')],
    ['not of a comparison', unary('not', op('eq', 'p.tag', t))],
    ['not IS NULL', unary('not', unary('is_null', 'p.rank'))],
    ['one of several conditions', all(op('gt', 'u.age', 3), op('eq', 'p.tag', t))],
    ['all alternatives', op('or', op('eq', 'p.tag', t), unary('is_not_null', 'p.rank'))],
  ])('%s', (_, predicate) => {
    expect(joinAbove(predicate)).toBe('inner');
    expect(joinAbove(predicate, { ...full, without: ['outer_to_inner'] })).toBe('left');
  });
});

describe('stays', () => {
  test.each([
    ['IS NULL', unary('is_null', 'p.rank')],
    ['the left side alone', op('gt', 'u.age', 3)],
    ['one alternative of another kind', op('or', op('eq', 'p.tag', t), op('gt', 'u.age', 3))],
    ['an alternative that is TRUE', op('or', op('eq', 'p.tag', t), unary('is_null', 'p.tag'))],
    ['what can raise', op('gt', op('add', 'p.rank', 1), 3)],
    ['a comparison of tests', op('eq', unary('is_null', 'p.tag'), true)],
  ])('%s', (_, predicate) => {
    expect(joinAbove(predicate)).toBe('left');
  });
});

describe('a distinct of rows that differ', () => {
  const distinct = { kind: 'distinct', input: 'p' } as const;
  const isMade = (nodes: Parameters<typeof query>[0], options = full) =>
    textOf(query(nodes), options).includes('distinct');

  test('by the key of their table', () => {
    const s = scan('post', 'p');
    const nodes = { s, p: project('s', { a: 'p.author', q: 'p.seq', t: 'p.tag' }), d: distinct };
    expect(isMade(nodes)).toBe(false);
    expect(isMade(nodes, { ...full, without: ['redundant_distinct'] })).toBe(true);
    expect(isMade({ s, p: project('s', { a: 'p.author', t: 'p.tag' }), d: distinct })).toBe(true);
  });

  test('by the groups of an aggregate', () => {
    const s = scan('post', 'p');
    const groups = [{ expr: { kind: 'col', scope: 'p', column: 'tag' } }] as const;
    const g = {
      kind: 'aggregate',
      input: 's',
      scope: 'g',
      groups,
      aggs: [{ fn: 'count', as: 'n' }],
    };
    const nodes = { s, g, d: { ...distinct, input: 'g' } } as Parameters<typeof query>[0];
    expect(isMade(nodes)).toBe(false);
    const p = project('g', { n: 'g.n' });
    const counts = { s, g, p, d: distinct } as Parameters<typeof query>[0];
    expect(isMade(counts)).toBe(true);
  });

  test('but not of a join, nor of rows that differ in what is no scalar', () => {
    const nodes = {
      u: scan('user', 'u'),
      s: scan('post', 'p'),
      j: join('u', 's', op('eq', 'u.name', 'p.title')),
      p: project('j', { i: 'u.id' }),
      d: distinct,
    };
    expect(isMade(nodes)).toBe(true);
    const nested = {
      u: scan('user', 'u'),
      n: scan('note', 'n'),
      of: filter('n', op('eq', 'n.owner', 'u.id')),
      w: project('u', { a: 'u.age', has: crossing('first', 'one') }, 'w'),
      one: { kind: 'slice', input: 'sorted', limit: 1 },
      sorted: { kind: 'order', input: 'of', terms: [] },
      both: { kind: 'distinct', input: 'w' },
      p: project('both', { a: 'w.a' }),
      d: distinct,
    };
    const { u, n, of, sorted, one, w, both, p, d } = nested;
    const ordered = { ...sorted, terms: [{ expr: { kind: 'col', scope: 'n', column: 'id' } }] };
    const inOrder = { u, n, of, sorted: ordered, one, w, both, p, d };
    expect(textOf(query(inOrder as Parameters<typeof query>[0])).match(/distinct/g)?.length).toBe(
      2,
    );
  });
});
