/** Order, row bounds, the unique-key proof, tie-breakers, roots (docs/lir.md §7). */

import { describe, expect, test } from 'bun:test';
import type { Cardinality, Node } from '#lir';
import {
  all,
  crossing,
  filter,
  join,
  numbers,
  op,
  order,
  plain,
  planOf,
  project,
  query,
  refusalOf,
  scan,
  term,
  textOf,
} from '../support.ts';

const users = scan('user', 'u');
const slice = (input: string, limit?: number, offset?: number): Node => ({
  kind: 'slice',
  input,
  ...(limit !== undefined && { limit }),
  ...(offset !== undefined && { offset }),
});
const verdict = (nodes: Record<string, Node>, cardinality: Cardinality) => {
  try {
    planOf(query(nodes, cardinality));
    return 'accepted';
  } catch {
    return refusalOf(query(nodes, cardinality)).split(' ')[0];
  }
};
const unordered = 'nondeterministic_order';

describe('roots', () => {
  test('many needs an order, even of one row', () => {
    expect(verdict({ r: numbers('a', 1) }, 'many')).toBe(unordered);
    expect(verdict({ r: numbers('a', 1), o: order('r', 'a.n') }, 'many')).toBe('accepted');
  });

  test('first needs an order or at most one row', () => {
    expect(verdict({ s: users }, 'first')).toBe(unordered);
    expect(verdict({ s: users, o: order('s', 'u.age') }, 'first')).toBe('accepted');
    expect(verdict({ r: numbers('a', 1) }, 'first')).toBe('accepted');
    expect(verdict({ s: users, l: slice('s', 1) }, 'first')).toBe('accepted');
  });

  test('scalar needs one column, then at most one row', () => {
    const one = project('s', { v: 'u.age' });
    expect(verdict({ s: users }, 'scalar')).toBe('scalar_arity');
    expect(verdict({ s: users, p: one }, 'scalar')).toBe(unordered);
    expect(
      verdict({ s: users, o: order('s', 'u.id'), p: project('o', { v: 'u.age' }) }, 'scalar'),
    ).toBe(unordered);
  });

  test('an unordered root needs no order for many and first, and nothing below it is lifted', () => {
    const lifted = (nodes: Record<string, Node>, cardinality: Cardinality) => {
      const { root, ...rest } = query(nodes, cardinality);
      const document = { ...rest, root: { ...root, unordered: true } };
      try {
        return textOf(document);
      } catch {
        return refusalOf(document).split(' ')[0];
      }
    };
    expect(lifted({ s: users }, 'many')).toContain('scan | table user');
    expect(lifted({ s: users }, 'first')).toContain('scan | table user');
    expect(lifted({ s: users, l: slice('s', 1, 1) }, 'many')).toBe(unordered);
    expect(lifted({ s: users, p: project('s', { v: 'u.age' }) }, 'scalar')).toBe(unordered);
    const nested = project('s', { v: crossing('array', 'i') });
    expect(lifted({ s: users, i: scan('post', 'p'), p: nested }, 'many')).toBe(unordered);
  });

  test('an ordered root that is marked unordered keeps its order', () => {
    const { root, ...rest } = query({ s: users, o: order('s', 'u.name') }, 'many');
    const plan = textOf({ ...rest, root });
    expect(plan).toContain('sort');
    expect(textOf({ ...rest, root: { ...root, unordered: true } })).toBe(plan);
  });

  test('exactly_one is judged at run time', () => {
    expect(verdict({ s: users }, 'exactly_one')).toBe('accepted');
  });
});

describe('the proof of a unique key', () => {
  const proven = (...predicates: readonly Parameters<typeof filter>[1][]) => {
    const nodes: Record<string, Node> = { s: users };
    predicates.forEach((predicate, i) => {
      nodes[`f${i}`] = filter(i === 0 ? 's' : `f${i - 1}`, predicate);
    });
    return verdict(nodes, 'first');
  };
  test('takes the primary key, a unique index, stacked filters', () => {
    expect(proven(op('eq', 'u.id', 1))).toBe('accepted');
    expect(proven(op('eq', 1, 'u.id'))).toBe('accepted');
    expect(proven(all('u.active', op('eq', 'u.email', 'u.name')))).toBe(unordered);
    expect(proven(all('u.active', op('eq', 'u.id', op('add', 1, 2))))).toBe('accepted');
    expect(proven(op('eq', 'u.id', 1), 'u.active')).toBe('accepted');
  });

  test('does not take or, not, own columns, parts of a key', () => {
    expect(proven(op('or', op('eq', 'u.id', 1), 'u.active'))).toBe(unordered);
    expect(proven(op('eq', 'u.id', 'u.id'))).toBe(unordered);
    expect(proven(op('gte', 'u.id', 1))).toBe(unordered);
    const part = filter('s', op('eq', 'p.author', 1));
    expect(verdict({ s: scan('post', 'p'), f: part }, 'first')).toBe(unordered);
    const whole = filter('s', all(op('eq', 'p.author', 1), op('eq', 'p.seq', 2)));
    expect(verdict({ s: scan('post', 'p'), f: whole }, 'first')).toBe('accepted');
  });

  test('works with keys of an enclosing row, but not with a crossing over the own one', () => {
    const inner = filter('i', op('eq', 'p.author', 'u.id'));
    const nodes = { s: users, i: scan('post', 'p'), f: inner, l: slice('f', 1) };
    const by = (name: string) => project('l', { v: `p.${name}` });
    const outer = filter('s', op('eq', 'u.id', crossing('scalar', 'q')));
    expect(verdict({ ...nodes, q: by('author'), o: outer }, 'first')).toBe(unordered);
    const free = { s: users, i: scan('post', 'p'), l: slice('i', 1), q: by('author') };
    expect(verdict({ ...free, o: outer }, 'first')).toBe('accepted');
  });

  test('ends at a projection', () => {
    const p = project('s', { id: 'u.id' }, 'p');
    expect(verdict({ s: users, p, f: filter('p', op('eq', 'p.id', 1)) }, 'first')).toBe(unordered);
  });
});

describe('the place of NULL', () => {
  const sortedBy = (column: string, desc: boolean, nulls: 'first' | 'last', over = 's') => {
    const terms = [{ expr: term(column), desc, nulls }];
    const nodes = { s: users, q: project('s', { id: 'u.id', age: 'u.age' }, 'q') };
    const o: Node = { kind: 'order', input: over, terms };
    return textOf(query(over === 's' ? { s: users, o } : { ...nodes, o }, 'many'));
  };

  test('of the default is that of a key', () => {
    const plain = textOf(query({ s: users, o: order('s', 'u.age') }, 'many'));
    expect(sortedBy('u.age', false, 'first')).toBe(plain);
    expect(plain).not.toContain('is null');
    const reverse = textOf(query({ s: users, o: order('s', '-u.age') }, 'many'));
    expect(sortedBy('u.age', true, 'last')).toBe(reverse);
  });

  test('moves by a test for NULL, and an index that has another place does not serve', () => {
    expect(sortedBy('u.age', false, 'last')).toContain('sort | terms age is null, age, id');
    expect(sortedBy('u.age', true, 'first')).toContain('age is null desc, age desc, id');
  });

  test('does not matter for a column that is never NULL, also through a projection', () => {
    expect(sortedBy('u.id', false, 'last')).not.toContain('sort');
    expect(sortedBy('q.id', false, 'last', 'q')).not.toContain('sort');
    expect(sortedBy('q.age', false, 'last', 'q')).toContain('is null');
  });

  test('matters for a column that a left join pads', () => {
    const on = op('eq', 'u.id', 'p.id');
    const nodes = {
      s: users,
      i: scan('note', 'n'),
      q: project('i', { id: 'n.id' }, 'p'),
      j: join('s', 'q', on, 'left'),
      o: { kind: 'order', input: 'j', terms: [{ expr: term('p.id'), nulls: 'last' }] } as const,
      r: project('o', { id: 'u.id' }),
    };
    expect(textOf(query(nodes, 'many'))).toContain('is null');
  });
});

describe('bounds', () => {
  const bounded = (nodes: Record<string, Node>) => verdict(nodes, 'first') === 'accepted';
  const [a, b] = [numbers('a', 1), numbers('b', 2)];
  const p = project('j', { v: 'a.n' });
  test('of joins, sets, slices and aggregates', () => {
    expect(bounded({ a, b, j: join('a', 'b', true), p })).toBe(true);
    expect(bounded({ a, b: numbers('b'), j: join('a', 'b', true, 'left'), p })).toBe(true);
    expect(bounded({ a, b: users, j: join('a', 'b', true), p })).toBe(false);
    const concatenate: Node = { kind: 'concatenate', inputs: ['a', 'b'], scope: 'x' };
    expect(bounded({ a, b, c: concatenate })).toBe(false);
    const sets = (kind: 'intersect' | 'except'): Node => ({
      kind,
      left: 'c',
      right: 'd',
      quantifier: 'all',
      scope: 'x',
    });
    const many = { c: numbers('c', 1, 2), d: numbers('d', 1) };
    expect(bounded({ ...many, i: sets('intersect') })).toBe(true);
    expect(bounded({ ...many, i: sets('except') })).toBe(false);
    const count: Node = { kind: 'aggregate', input: 's', aggs: [{ fn: 'count', as: 'n' }] };
    expect(bounded({ s: users, g: count })).toBe(true);
    expect(
      bounded({ a, g: { ...count, input: 'a', groups: [{ expr: term('a.n'), as: 'k' }] } }),
    ).toBe(true);
    expect(bounded({ s: users, o: order('s', 'u.id'), l: slice('o', 1, 5) })).toBe(true);
  });

  test('an offset needs an order', () => {
    expect(verdict({ s: users, l: slice('s', 1, 1) }, 'first')).toBe(unordered);
    expect(refusalOf(query({ s: users, l: slice('s', 1, 1) }))).toBe(`${unordered} /nodes/l`);
  });

  test('order is lost by distinct, joins and sets, kept by filter and project', () => {
    const sorted = { s: users, o: order('s', 'u.id') };
    expect(verdict({ ...sorted, d: { kind: 'distinct', input: 'o' } }, 'many')).toBe(unordered);
    expect(verdict({ ...sorted, f: filter('o', 'u.active') }, 'many')).toBe('accepted');
    expect(verdict({ ...sorted, p: project('o', { v: 'u.id' }) }, 'many')).toBe('accepted');
  });
});

describe('tie-breakers', () => {
  const terms = (nodes: Record<string, Node>) =>
    /terms ([^|]*?)(?: \||$)/m.exec(textOf(query(nodes, 'many'), plain))?.[1];
  test('of a table: its primary key, what is there already left out', () => {
    expect(terms({ s: users, o: order('s', '-u.age') })).toBe('age desc, id');
    expect(terms({ s: scan('post', 'p'), o: order('s', '-p.seq') })).toBe('seq desc, author');
  });

  test('through a projection that keeps the key', () => {
    const p = project('s', { tag: 'p.tag', b: 'p.seq', a: 'p.author' }, 'q');
    expect(terms({ s: scan('post', 'p'), p, o: order('p', 'q.tag') })).toBe('tag, author, seq');
    const lost = project('s', { tag: 'p.tag', b: 'p.seq' }, 'q');
    expect(terms({ s: scan('post', 'p'), p: lost, o: order('p', 'q.tag') })).toBe('tag');
  });

  test('of groups and distinct rows', () => {
    const group: Node = {
      kind: 'aggregate',
      input: 's',
      scope: 'g',
      groups: [{ expr: term('u.age') }, { expr: term('u.active') }],
      aggs: [{ fn: 'count', as: 'n' }],
    };
    expect(terms({ s: users, g: group, o: order('g', 'g.n') })).toBe('n, age, active');
    const p = project('s', { a: 'u.age', n: 'u.name' }, 'q');
    const d: Node = { kind: 'distinct', input: 'p' };
    expect(terms({ s: users, p, d, o: order('d', 'q.n') })).toBe('n, a');
  });
});
