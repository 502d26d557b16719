/** What can raise an error stays where the document put it (docs/lir.md §10). */

import { describe, expect, test } from 'bun:test';
import type { Node } from '#lir';
import {
  all,
  filter,
  join,
  numbers,
  op,
  order,
  project,
  query,
  scan,
  type Term,
  term,
  textOf,
} from '../support.ts';

const users = scan('user', 'u');
const raising = op('gt', op('div', 10, 'u.age'), 1);
const where = (...conjuncts: readonly Term[]) => {
  const nodes = { s: users, f: filter('s', all(...conjuncts)), p: project('f', { n: 'u.name' }) };
  return textOf(query(nodes));
};
const byKey = 'access primary key: id = 3';

describe('conjuncts', () => {
  test('before a raising one are free when they are never NULL: FALSE stops, UNKNOWN does not', () => {
    expect(where(op('eq', 'u.id', 3), raising)).toContain(byKey);
    expect(where(op('eq', 'u.age', 3), raising)).toContain(
      'filter | predicate (age = 3) and ((10 / age) > 1)\n    scan | table user | access whole',
    );
  });

  test('a cast raises only from float64 to int64', () => {
    const cast = (expr: Term, to: 'int64' | 'float64') =>
      ({ kind: 'cast', expr: term(expr), to }) as const;
    const id3 = op('eq', 'u.id', 3);
    expect(where(op('eq', cast('u.age', 'float64'), 'u.score'), id3)).toContain(byKey);
    expect(where(op('eq', cast('u.age', 'int64'), 1), id3)).toContain(byKey);
    expect(where(op('eq', cast('u.score', 'float64'), 'u.score'), id3)).toContain(byKey);
    expect(where(op('eq', cast('u.score', 'int64'), 1), id3)).not.toContain(byKey);
  });

  test('after a raising one stay behind it', () => {
    expect(where(raising, op('eq', 'u.id', 3))).toContain(
      'filter | predicate ((10 / age) > 1) and (id = 3)\n    scan | table user | access whole',
    );
  });

  test('a column that a left join may pad is no column that is never NULL', () => {
    const j = join('l', 's', true, 'left');
    const f = filter('j', all(op('eq', 'u.id', 3), raising));
    const nodes = { l: numbers('a', 1), s: users, j, f, p: project('f', { n: 'u.name' }) };
    expect(textOf(query(nodes))).toContain('filter | predicate (id = 3) and ((10 / age) > 1)');
  });
});

describe('filters do not pass operators that can raise', () => {
  const inner = project('s', { id: 'u.id', v: op('div', 1, 'u.age') }, 'q');
  test('a projection', () => {
    const nodes = { s: users, p: inner, f: filter('p', op('eq', 'q.id', 3)) };
    expect(textOf(query(nodes))).toStartWith('filter | predicate id = 3\n  project');
  });

  test('an order, an aggregate of sums, another filter', () => {
    const id3 = op('eq', 'u.id', 3);
    const o = order('s', op('div', 1, 'u.age'));
    expect(textOf(query({ s: users, o, f: filter('o', id3) }, 'many'))).toStartWith(
      'filter | predicate id = 3\n  sort',
    );
    const sum: Node = {
      kind: 'aggregate',
      input: 's',
      scope: 'g',
      groups: [{ expr: { kind: 'col', scope: 'u', column: 'id' } }],
      aggs: [{ fn: 'sum', as: 'v', arg: { kind: 'col', scope: 'u', column: 'age' } }],
    };
    expect(textOf(query({ s: users, g: sum, f: filter('g', op('eq', 'g.id', 3)) }))).toStartWith(
      'filter | predicate id = 3\n  aggregate',
    );
    expect(textOf(query({ s: users, f: filter('s', raising), g: filter('f', id3) }))).toStartWith(
      'filter | predicate id = 3\n  filter',
    );
  });

  test('a join whose condition can raise', () => {
    const on = op('eq', op('add', 'u.age', 1), 'a.n');
    const j = join('s', 'l', on);
    const f = filter('j', op('eq', 'u.id', 3));
    const text = textOf(
      query({ s: users, l: numbers('a', 1), j, f, p: project('f', { n: 'u.name' }) }),
    );
    expect(text).toContain('filter | predicate id = 3\n    loop join');
  });

  test('a slice, whose rows it would change', () => {
    const l: Node = { kind: 'slice', input: 'o', limit: 2 };
    const nodes = { s: users, o: order('s', 'u.name'), l, f: filter('l', op('eq', 'u.id', 3)) };
    expect(textOf(query(nodes, 'many'))).toStartWith(
      'filter | predicate id = 3\n  slice | limit 2',
    );
  });
});

describe('what nobody reads', () => {
  test('is not computed, unless it can raise', () => {
    const fields = { id: 'u.id', v: op('eq', 'u.name', 'u.email'), w: op('div', 1, 'u.age') };
    const count: Node = { kind: 'aggregate', input: 'p', aggs: [{ fn: 'count', as: 'n' }] };
    expect(textOf(query({ s: users, p: project('s', fields), c: count }))).toBe(
      'aggregate | folds count()\n  project | fields 1 / age\n' +
        '    scan | table user | access whole table | columns age',
    );
  });

  test('goes for folds too', () => {
    const folds: Node = {
      kind: 'aggregate',
      input: 's',
      scope: 'g',
      aggs: [
        { fn: 'sum', as: 'v', arg: { kind: 'col', scope: 'u', column: 'age' } },
        { fn: 'max', as: 'w', arg: { kind: 'col', scope: 'u', column: 'name' } },
      ],
    };
    const p = project('g', { x: op('eq', 1, 1) });
    expect(textOf(query({ s: users, g: folds, p }))).toContain('aggregate | folds sum(age)\n');
  });
});

test('a lookup never replaces a side that can raise', () => {
  const right = project('r', { id: 'u.id', v: op('div', 1, 'u.age') }, 'q');
  const j = join('l', 'p', op('eq', 'a.n', 'q.id'));
  const nodes = { l: numbers('a', 1), r: users, p: right, j, o: project('j', { v: 'q.v' }) };
  expect(textOf(query(nodes))).toContain('hash join');
});
